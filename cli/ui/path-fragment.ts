// The path of events: from the queues through the functions to the writes. Pure.
import type { Summary } from '../../local/counters.ts';
import type { QueuesReport } from '../queues/queues-report.ts';
import { type Html, html } from './html.ts';

export const pathId = 'path';

interface EventPath {
  /** `undefined` if no queues are known. A text if they cannot be read. */
  readonly queues: QueuesReport | string | undefined;
  /** The work of this process since its start. `undefined` if the functions run elsewhere. */
  readonly work: Summary | undefined;
}

const writes = /^(?:create|patch|apply|delete) /;

export function toPathFragment({ queues, work }: EventPath): string {
  return html`<div id="${pathId}">${toQueues(queues, work)}${work && toWork(work)}</div>`.toString();
}

function toQueues(queues: EventPath['queues'], work: Summary | undefined): Html {
  if (queues === undefined) {
    return html`<p>No queues are known. Set CAPI_QUEUE_URLS, as for <code>capi-serverless queues</code>, or start a local run.</p>`;
  }
  if (typeof queues === 'string') {
    return html`<p class="failing">${queues}</p>`;
  }
  const rows = queues.queues.map(({ queue, visible, inFlight, delayed, oldestSeconds, deadLetters }) => {
    const isBusy = visible + inFlight + delayed > 0;
    const dead = deadLetters === undefined ? '?' : deadLetters;
    return html`<tr class="${isBusy && 'busy'}"><th scope="row">${queue}</th><td>${visible}</td><td>${inFlight}</td><td>${delayed}</td><td>${oldestSeconds === undefined ? '–' : `${oldestSeconds} s`}</td><td class="${deadLetters !== undefined && deadLetters > 0 && 'failing'}">${dead}</td><td>${work?.invocations[queue] ?? ''}</td><td>${work?.reconciles[queue] ?? ''}</td></tr>`;
  });
  return html`<div class="wide" role="region" aria-label="Queues" tabindex="0"><table><thead><tr><th scope="col">queue</th><th scope="col">waiting</th><th scope="col">in flight</th><th scope="col">delayed</th><th scope="col">oldest</th><th scope="col">dead letters</th><th scope="col">invocations</th><th scope="col">reconciles</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function toWork({ requests, requestsTotal, messages, failedReconciles }: Summary): Html {
  const written = Object.entries(requests).filter(([name]) => writes.test(name));
  const count = written.reduce((sum, [, number]) => sum + number, 0);
  const failed = failedReconciles === 0 ? '' : `, ${failedReconciles} failed reconciles`;
  return html`<p>Since the start: ${messages} messages delivered${failed}, ${requestsTotal} API requests, ${count} of them writes.</p><ul class="writes">${written.map(([name, number]) => html`<li>${name} <b>${number}</b></li>`)}</ul>`;
}
