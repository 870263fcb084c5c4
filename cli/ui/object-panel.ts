// One object of the page: what it waits for, its conditions, and its last reconciles. Pure but for the given reads.
import {
  type ObjectRef,
  type Reads,
  toApiVersion,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { declarations } from '../../functions/declarations.ts';
import { findOrder } from '../../local/provider/orders.ts';
import { conditionsOf } from '../../shared/explain/conditions.ts';
import { toSentences } from '../../shared/explain/explanation.ts';
import { type ExplainedKind, explainedKinds } from '../why/operands.ts';
import { type Html, html } from './html.ts';
import type { Timeline, TimelineEntry, TimelineRequest } from './timeline.ts';

interface PanelSources {
  readonly reads: Reads;
  /** `undefined` if the functions run in other processes. */
  readonly timeline: Timeline | undefined;
  /** The objects of providers that the page shows. */
  readonly referred: readonly Unstructured[];
}

export interface NamedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Returns `undefined` for a kind that the page does not show. These are the kinds with a reconciler, and the objects that
 * Clusters reference. So no Secret is read.
 */
export async function toPanel(of: NamedObject, sources: PanelSources): Promise<Html | undefined> {
  const explained = explainedKinds().find(({ declaration }) => declaration.primary.kind === of.kind);
  const ref = toRefOf(of, explained, sources.referred);
  if (ref === undefined) {
    return undefined;
  }
  const title = html`<h2 id="object-title" tabindex="-1">${of.kind} ${toDisplayName(of)}</h2>`;
  const answer = await sources.reads.get(ref);
  if (!answer.ok) {
    return html`${title}<p class="failing">${answer.missing ? 'It does not exist (any more).' : answer.failure.message}</p>`;
  }
  const object = answer.value;
  return html`${title}${await toWhy(object, explained, sources.reads)}${toConditions(object)}${toTimeline(of, sources.timeline)}`;
}

function toRefOf(
  { kind, namespace, name }: NamedObject,
  explained: ExplainedKind | undefined,
  referred: readonly Unstructured[],
): ObjectRef | undefined {
  const place = { name, ...(namespace === '' ? {} : { namespace }) };
  if (explained !== undefined) {
    return { apiVersion: toApiVersion(explained.declaration.primary), kind, ...place };
  }
  const found = referred.find(
    object => object.kind === kind && object.metadata.name === name && (object.metadata.namespace ?? '') === namespace,
  );
  return found === undefined ? undefined : { apiVersion: found.apiVersion, kind, ...place };
}

async function toWhy(
  object: Unstructured,
  explained: ExplainedKind | undefined,
  reads: Reads,
): Promise<Html | undefined> {
  const { kind, metadata } = object;
  const described = await explained?.face.describe(object, { reads, findOrder });
  if (described === undefined) {
    return undefined;
  }
  const sentences = described.ok
    ? toSentences(`${kind} ${toDisplayName(metadata)}`, described.value.explanation)
    : [described.failure.message];
  return html`<ul class="why">${sentences.map(sentence => html`<li>${sentence}</li>`)}</ul>`;
}

function toConditions(object: Unstructured): Html {
  const rows = conditionsOf(object).map(
    ({ type, status, reason, message }) =>
      html`<tr><th scope="row">${type}</th><td>${status}</td><td>${reason}</td><td class="message">${message}</td></tr>`,
  );
  return rows.length === 0
    ? html`<p>It has no conditions.</p>`
    : html`<h3>Conditions</h3><div class="wide" role="region" aria-label="Conditions" tabindex="0"><table><thead><tr><th scope="col">type</th><th scope="col">status</th><th scope="col">reason</th><th scope="col">message</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function toTimeline({ kind, namespace, name }: NamedObject, timeline: Timeline | undefined): Html {
  const reconcilers = declarations.filter(({ primary }) => primary.kind === kind).map(declaration => declaration.name);
  const heading = html`<h3>Reconciles</h3>`;
  if (timeline === undefined) {
    return html`${heading}<p>The functions run elsewhere. Their log has a line for each reconcile, with its cause and its result.</p>`;
  }
  const entries = timeline.entriesOf(reconcilers, { namespace, name });
  return entries.length === 0
    ? html`${heading}<p>None since the start.</p>`
    : html`${heading}<ol class="timeline">${entries.map(toEntry)}</ol>`;
}

function toEntry(entry: TimelineEntry): Html {
  const { reconciler, startedAt, sentAt, seconds, passes, result, causes, dueAt, reads, written } = entry;
  const waited = Math.max(0, startedAt - sentAt) / 1000;
  const next =
    dueAt === undefined ? 'the next change' : `${new Date(dueAt).toISOString()}, unless something changes before`;
  const isBad = result.endsWith('error');
  return html`<li><p><time datetime="${new Date(startedAt).toISOString()}">${new Date(startedAt).toISOString().slice(11, 23)}</time> <b>${reconciler}</b> <span class="${isBad && 'failing'}">${result}</span></p><dl><dt>caused by</dt><dd>${causes.join(', ')}, ${waited.toFixed(1)} s before</dd><dt>read</dt><dd>${toCounts(reads)}</dd><dt>wrote</dt><dd>${written.length === 0 ? 'nothing' : html`<ul>${written.map(toWrite)}</ul>`}</dd><dt>took</dt><dd>${seconds.toFixed(2)} s, ${passes} ${passes === 1 ? 'pass' : 'passes'}</dd><dt>next</dt><dd>${next}</dd></dl></li>`;
}

function toWrite({ verb, resource, name, code }: TimelineRequest): Html {
  const failed = code < 200 || code > 299;
  return html`<li>${verb} ${resource} ${name}${failed && html` <span class="failing">${code === 0 ? 'without answer' : code}</span>`}</li>`;
}

function toCounts(requests: readonly TimelineRequest[]): string {
  const counts = new Map<string, number>();
  for (const { verb, resource } of requests) {
    const text = `${verb} ${resource}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const parts = [...counts].map(([text, count]) => (count === 1 ? text : `${text} ×${count}`));
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
