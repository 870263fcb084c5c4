// The frame of the page. Pure.
import { plannables } from '../plan/registry.ts';
import type { Fragments } from './fragments.ts';
import { Html, html } from './html.ts';
import { pathId } from './path-fragment.ts';
import { summaryId } from './summary-fragment.ts';

/** `session` names the state from which the stream of changes goes on. */
export function toDocument(fragments: Fragments, session: string): string {
  const part = (id: string): Html => new Html(fragments.get(id) ?? '');
  const clusters = [...fragments].filter(([id]) => id !== summaryId && id !== pathId).map(([, text]) => new Html(text));
  const reconcilers = plannables.map(({ declaration }) => declaration.name);
  return html`<!doctype html>
<html lang="en" data-session="${session}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>capi-serverless</title><link rel="stylesheet" href="/page.css"><script src="/page.js" defer></script></head>
<body>
<a class="skip" href="#clusters-title">To the Clusters</a>
<header><h1>capi-serverless</h1>${part(summaryId)}<p id="connection" role="status">connecting</p></header>
<main>
<section aria-labelledby="clusters-title"><h2 id="clusters-title" tabindex="-1">Clusters</h2><label class="filter">Show names with <input id="filter" type="search" autocomplete="off"></label><div id="clusters">${clusters}</div></section>
<section id="object" aria-live="off" hidden></section>
<section aria-labelledby="path-title"><h2 id="path-title">Path of events</h2>${part(pathId)}</section>
<section aria-labelledby="plan-title"><h2 id="plan-title">Plan a change</h2><form id="plan"><label for="plan-text">Manifests, as for kubectl apply. Nothing is written.</label><textarea id="plan-text" rows="10" spellcheck="false" required></textarea><label>Reconciler <select id="plan-reconciler">${reconcilers.map(name => html`<option${name === 'topology' && html` selected`}>${name}</option>`)}</select></label> <button>Plan</button></form><pre id="plan-result" role="status" tabindex="0" aria-label="Plan"></pre></section>
</main>
</body>
</html>
`.toString();
}
