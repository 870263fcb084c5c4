// The page over an API server: follows its Clusters and, if they are known, the queues and the reconciles of this process.
import type { Clock, Kubernetes } from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import { localClient } from '../../local/connect.ts';
import { type Counters, startCounters } from '../../local/counters.ts';
import { readAssets } from '../../local/page/assets.ts';
import type { QueueTarget } from '../../local/queue-target.ts';
import { followObjects } from '../../local/view/follow-objects.ts';
import { followClusters } from '../../local/view/progress.ts';
import { type QueuesReport, readReport } from '../queues/queues-report.ts';
import { queuesOf } from '../queues/reach.ts';
import { clusterId, referredObjects, toClusterFragment } from './cluster-fragment.ts';
import type { Fragments } from './fragments.ts';
import { toPanel } from './object-panel.ts';
import { type PageServer, servePage } from './page-server.ts';
import { pathId, toPathFragment } from './path-fragment.ts';
import { planPasted } from './plan-text.ts';
import { summaryId, toSummaryFragment } from './summary-fragment.ts';
import { recordTimeline, type Timeline } from './timeline.ts';

export interface PageOptions {
  readonly kubernetes: Kubernetes;
  /** For plans. */
  readonly kubeconfigPath: string;
  /** The name of the API server for the user. */
  readonly server: string;
  readonly queues: QueueTarget | undefined;
  /** Whether the functions run in this process. */
  readonly isHost: boolean;
  readonly watchFilter: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly clock: Clock;
}

export interface OpenedPage {
  readonly url: string;
  stop(): Promise<void>;
}

/** Changes within this time are sent together. */
const gatherMs = 150;
/** The queues are read only while a page is open. */
const queuesMs = 2_000;

/** Serves the page until it is stopped. Rejects if the port is in use. */
export async function openPage(options: PageOptions): Promise<OpenedPage> {
  const { kubernetes, clock, server, watchFilter } = options;
  const ended = new AbortController();
  const { signal } = ended;
  let page: PageServer | undefined;
  const gathered = createGatherer(clock, signal, () => page?.refresh());
  const timeline = options.isHost ? recordTimeline(gathered) : undefined;
  const counters = options.isHost ? startCounters({ except: localClient }) : undefined;
  const objects = followObjects({ kubernetes, clock, signal, onChange: gathered });
  const following = followClusters({
    ...{ watches: kubernetes.watches, clock, signal, watchFilter },
    onObject: objects.set,
    onChange: () => undefined,
  });
  const queues = options.queues && createQueueReader(options.queues, clock);
  const fragments = (): Fragments => {
    const snapshots = objects.snapshots();
    return new Map([
      [summaryId, toSummaryFragment(server, snapshots)],
      ...snapshots.map(snapshot => [clusterId(snapshot), toClusterFragment(snapshot)] as const),
      [pathId, toPathFragment({ queues: queues?.latest(), work: counters?.summary() })],
    ]);
  };
  const referred = () => objects.snapshots().flatMap(referredObjects);
  page = await servePage(
    {
      assets: await readAssets(),
      fragments,
      panel: of => toPanel(of, { reads: kubernetes, timeline, referred: referred() }),
      plan: change => planPasted(change, options.kubeconfigPath),
    },
    options,
  );
  const reading = queues?.follow({ signal, isWatched: page.isWatched, onRead: gathered });
  const work = [following, ...(reading === undefined ? [] : [reading])];
  return { url: page.url, stop: () => stopAll({ ended, page, timeline, counters, work }) };
}

interface Running {
  readonly ended: AbortController;
  readonly page: PageServer | undefined;
  readonly timeline: Timeline | undefined;
  readonly counters: Counters | undefined;
  readonly work: readonly Promise<void>[];
}

async function stopAll({ ended, page, timeline, counters, work }: Running): Promise<void> {
  ended.abort();
  timeline?.stop();
  counters?.stop();
  await page?.stop();
  await Promise.all(work);
}

/** Returns a function that calls `send` a moment after the first of several changes. */
function createGatherer(clock: Clock, signal: AbortSignal, send: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (!isWaiting && !signal.aborted) {
      isWaiting = true;
      void clock.sleep(gatherMs, signal).then(() => {
        isWaiting = false;
        if (!signal.aborted) {
          send();
        }
      });
    }
  };
}

interface QueueReader {
  /** `undefined` before the first read. A text if the queues cannot be read. */
  latest(): QueuesReport | string | undefined;
  /** Reads until `signal` aborts, while a page is open. */
  follow(reading: QueueReading): Promise<void>;
}

interface QueueReading {
  readonly signal: AbortSignal;
  readonly isWatched: () => boolean;
  readonly onRead: () => void;
}

function createQueueReader(target: QueueTarget, clock: Clock): QueueReader {
  const queues = queuesOf(target);
  let latest: QueuesReport | string | undefined;
  return {
    latest: () => latest,
    async follow({ signal, isWatched, onRead }) {
      while (!signal.aborted) {
        if (latest === undefined || isWatched()) {
          latest = await readReport(target, { queues, now: clock.now() }).catch(thrown => toError(thrown).message);
          onRead();
        }
        await clock.sleep(queuesMs, signal);
      }
    },
  };
}
