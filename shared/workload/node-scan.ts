// Lists all Nodes of a workload cluster, and keeps only their names and providerIDs.
import {
  type Answer,
  answered,
  type Clock,
  type Instant,
  isJsonObject,
  type ListedPage,
  largerLimit,
  pageSize,
  refused,
  smallerLimit,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import type { ListedNode } from './api.ts';
import { unlessAborted } from './unless-aborted.ts';

/** The time for which the result of a scan is used. */
const freshMs = 10_000;
/** Bounds of one scan. The largest clusters have 100,000 Nodes. */
const maxPages = 2_000;
const maxCharacters = 16 * 1024 * 1024;
/** What a Node adds to the number of characters, besides its name and providerID. */
const charactersPerNode = 64;

interface PageOptions {
  readonly limit: number;
  readonly continue?: string;
}

/** Reads one page of the list of Nodes. */
type ReadPage = (options: PageOptions) => Promise<Answer<ListedPage>>;

interface Scan {
  readonly startedAt: Instant;
  readonly answer: Promise<Answer<readonly ListedNode[]>>;
}

/** The scans of one workload cluster. */
export class NodeScans {
  readonly #clock: Pick<Clock, 'now'>;
  #latest: Scan | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /**
   * Returns the result of the latest scan, or starts one. A scan ends with the signal of the caller that started it.
   * Each further round of the loop follows such an end.
   */
  async nodes(page: ReadPage, signal: AbortSignal): Promise<Answer<readonly ListedNode[]>> {
    for (;;) {
      this.forgetOld();
      const scan = this.#latest ?? this.#start(page);
      const answer = await unlessAborted(scan.answer, signal);
      if (answer === undefined) {
        return refused({ reason: 'Aborted', message: 'list nodes: aborted before an answer came' });
      }
      if (answer.ok || answer.failure.reason !== 'Aborted') {
        return answer;
      }
      this.#latest = this.#latest === scan ? undefined : this.#latest;
    }
  }

  /** Forgets a result that is too old to be used. */
  forgetOld(): void {
    if (this.#latest !== undefined && this.#clock.now() - this.#latest.startedAt >= freshMs) {
      this.#latest = undefined;
    }
  }

  #start(page: ReadPage): Scan {
    this.#latest = { startedAt: this.#clock.now(), answer: scanTwice(page) };
    return this.#latest;
  }
}

/** If the list expires between two pages, it starts again once. */
async function scanTwice(page: ReadPage): Promise<Answer<readonly ListedNode[]>> {
  const answer = await scan(page);
  return !answer.ok && answer.failure.reason === 'Gone' ? scan(page) : answer;
}

async function scan(page: ReadPage): Promise<Answer<readonly ListedNode[]>> {
  const nodes: ListedNode[] = [];
  let characters = 0;
  let next: PageOptions = { limit: pageSize };
  for (let pages = 0; pages < maxPages && characters <= maxCharacters; pages += 1) {
    const answer = await page(next);
    const smaller = answer.ok || answer.failure.tooLarge === undefined ? undefined : smallerLimit(next.limit);
    if (smaller !== undefined) {
      next = { ...next, limit: smaller };
      continue;
    }
    if (!answer.ok) {
      return answer;
    }
    for (const item of answer.value.items) {
      const node = toListedNode(item);
      nodes.push(node);
      characters += node.name.length + node.providerID.length + charactersPerNode;
    }
    const { continue: token } = answer.value;
    if (token === undefined && characters <= maxCharacters) {
      return answered(nodes);
    }
    next = { limit: largerLimit(next.limit, pageSize), ...withoutUndefined({ continue: token }) };
  }
  return refused({ reason: 'InternalError', message: 'list nodes: more Nodes than are read' });
}

function toListedNode({ metadata: { name }, spec }: Unstructured): ListedNode {
  const providerID = isJsonObject(spec) ? spec['providerID'] : undefined;
  return { name, providerID: typeof providerID === 'string' ? providerID : '' };
}
