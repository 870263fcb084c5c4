// Runs in the browser: shows the changes that the server sends, filters Clusters, opens objects, and asks for plans. The server
// sends HTML in which all texts of objects are escaped.
import { Idiomorph } from 'idiomorph';

const connection = document.querySelector('#connection');
const clusters = document.querySelector('#clusters');
const filter = document.querySelector('#filter');
const object = document.querySelector('#object');

/** What the user has opened or filtered stays. */
const keptAttributes = ['open', 'hidden'];
const morphing = {
  callbacks: { beforeAttributeUpdated: attribute => !keptAttributes.includes(attribute) },
};

function isShown(element) {
  return element.dataset.name.includes(filter.value.trim());
}

function place({ id, html, after }) {
  const element = document.getElementById(id);
  if (element !== null) {
    Idiomorph.morph(element, html, morphing);
    return;
  }
  const before = after === undefined ? null : document.getElementById(after);
  if (before?.parentElement === clusters) {
    before.insertAdjacentHTML('afterend', html);
  } else {
    clusters.insertAdjacentHTML('afterbegin', html);
  }
  const added = document.getElementById(id);
  added.hidden = !isShown(added);
}

function apply(changes) {
  for (const change of changes) {
    if (change.gone) {
      document.getElementById(change.id)?.remove();
    } else {
      place(change);
    }
  }
}

function connect() {
  const changes = new EventSource(`/changes?session=${document.documentElement.dataset.session}`);
  changes.addEventListener('open', () => {
    connection.textContent = 'live';
  });
  changes.addEventListener('error', () => {
    connection.textContent = 'not connected: trying again';
  });
  changes.addEventListener('reset', () => {
    clusters.replaceChildren();
  });
  changes.addEventListener('changes', ({ data }) => {
    apply(JSON.parse(data));
    refreshObject();
  });
}

filter.addEventListener('input', () => {
  for (const cluster of clusters.children) {
    cluster.hidden = !isShown(cluster);
  }
});

const prefix = '#object?';
/** At most one question at a time, and one more if something changed meanwhile. */
let asking = false;
let isStale = false;

async function askObject() {
  const { hash } = location;
  if (!hash.startsWith(prefix)) {
    object.hidden = true;
    return;
  }
  const answer = await fetch(`/object?${hash.slice(prefix.length)}`);
  const text = await answer.text();
  if (location.hash !== hash) {
    isStale = true;
    return;
  }
  if (answer.ok) {
    Idiomorph.morph(object, text, { morphStyle: 'innerHTML', ...morphing });
  } else {
    object.textContent = text;
  }
  object.hidden = false;
}

async function refreshObject() {
  if (asking) {
    isStale = true;
    return;
  }
  asking = true;
  do {
    isStale = false;
    await askObject().catch(() => undefined);
  } while (isStale);
  asking = false;
}

addEventListener('hashchange', async () => {
  await refreshObject();
  document.querySelector('#object-title')?.focus();
});

document.querySelector('#plan').addEventListener('submit', async event => {
  event.preventDefault();
  const result = document.querySelector('#plan-result');
  result.textContent = 'planning …';
  const body = JSON.stringify({
    text: document.querySelector('#plan-text').value,
    reconciler: document.querySelector('#plan-reconciler').value,
  });
  try {
    const answer = await fetch('/plan', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    result.textContent = await answer.text();
  } catch {
    result.textContent = 'The server of this page does not answer';
  }
});

connect();
refreshObject();
