// The phases of the local run after the start: applies manifests, follows progress, and ends.

import {
  type Clock,
  compareText,
  groupOf,
  type Intent,
  type Kubernetes,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import type { ExtensionView } from '../functions/extensionconfig/explain.ts';
import { clusterGroup } from '../shared/api/cluster/reader.ts';
import { extensionConfigKind, runtimeGroup } from '../shared/api/extension-config/kind.ts';
import { applyManifests, toResultLines } from './manifests.ts';
import { type Board, createBoard, type Expectations } from './view/board.ts';
import { type FollowedObjects, followObjects } from './view/follow-objects.ts';
import { followClusters, followExtensions, type ProgressChange } from './view/progress.ts';
import type { Reporter } from './view/reporter.ts';

export interface Drive {
  readonly manifests: readonly Intent[];
  /** If `undefined`, the run ends when it is interrupted. */
  readonly readyWithinSeconds: number | undefined;
  readonly watchFilter: string;
  readonly kubernetes: Kubernetes;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
  /** Called once with all existing Clusters, when the expected Clusters are Provisioned. */
  readonly onReady?: (clusters: readonly Unstructured[]) => void;
}

const exitCodes = { done: 0, notReady: 1, couldNotStart: 2, broken: 3 } as const;

/** Resolves with the exit code when the run is interrupted, when all expected objects are ready, or at the timeout. */
export async function drive(context: Drive): Promise<number> {
  const { clock, interrupted, readyWithinSeconds } = context;
  const board = createBoard(toExpectations(context.manifests));
  const ended = new AbortController();
  const signal = AbortSignal.any([interrupted, ended.signal]);
  const following = follow(context, { board, signal, onReady: () => ended.abort() });
  const allApplied = await apply(context);
  if (readyWithinSeconds !== undefined && allApplied) {
    await clock.sleep(readyWithinSeconds * 1000, signal);
  }
  if (readyWithinSeconds !== undefined) {
    ended.abort();
  }
  await following;
  if (readyWithinSeconds === undefined || (allApplied && board.isReady())) {
    return exitCodes.done;
  }
  if (!interrupted.aborted) {
    context.reporter.notReady(board.missing());
  }
  return exitCodes.notReady;
}

interface Following {
  readonly board: Board;
  readonly signal: AbortSignal;
  readonly onReady: () => void;
}

async function follow(context: Drive, { board, signal, onReady }: Following): Promise<void> {
  const { kubernetes, clock, reporter, watchFilter } = context;
  const clusters = new Map<string, Unstructured>();
  const objects = reporter.showsObjects ? showObjects(context, signal) : undefined;
  let listed = false;
  let wasReady = false;
  const judge = (): void => {
    if (wasReady || !listed || !board.isReady()) {
      return;
    }
    wasReady = true;
    context.onReady?.([...clusters.values()]);
    if (context.readyWithinSeconds !== undefined) {
      onReady();
    }
  };
  const watching = { watches: kubernetes.watches, clock, signal, watchFilter };
  const extensions = followAllExtensions(context, watching, ({ name, view }) => {
    board.setExtension(name, view);
    judge();
  });
  await followClusters({
    ...watching,
    onObject: (name, cluster) => {
      if (cluster === undefined) {
        clusters.delete(name);
      } else {
        clusters.set(name, cluster);
      }
      objects?.set(name, cluster);
    },
    onChange: ({ name, view }) => {
      board.set(name, view);
      reporter.changed(name, view);
      judge();
    },
    onListed: () => {
      listed = true;
      judge();
    },
  });
  await extensions;
  await objects?.ended();
}

type Watching = Pick<Parameters<typeof followExtensions>[0], 'watches' | 'clock' | 'signal' | 'watchFilter'>;

function followAllExtensions(
  { reporter }: Drive,
  watching: Watching,
  onChange: (change: ProgressChange<ExtensionView>) => void,
): Promise<void> {
  const objects = new Map<string, Unstructured>();
  const inOrder = () => [...objects].toSorted(([a], [b]) => compareText(a, b)).map(([, object]) => object);
  return followExtensions({
    ...watching,
    onObject: (name, object) => {
      if (object === undefined) {
        objects.delete(name);
      } else {
        objects.set(name, object);
      }
      reporter.extensions(inOrder);
    },
    onChange: change => {
      reporter.extensionChanged(change.name, change.view);
      onChange(change);
    },
  });
}

function showObjects({ kubernetes, clock, reporter }: Drive, signal: AbortSignal): FollowedObjects {
  const objects = followObjects({
    kubernetes: kubernetes.within(signal),
    clock,
    signal,
    onChange: () => reporter.objects(objects.snapshots),
  });
  return objects;
}

async function apply({ manifests, kubernetes, reporter }: Drive): Promise<boolean> {
  const results = await applyManifests(kubernetes, manifests, { fieldManager: 'capi-serverless-local' });
  for (const line of results.flatMap(toResultLines)) {
    reporter.note(line);
  }
  return results.every(({ outcome }) => outcome !== 'refused');
}

function toExpectations(manifests: readonly Intent[]): Expectations {
  const ofKind = (group: string, kind: string) =>
    manifests.filter(manifest => manifest.kind === kind && groupOf(manifest.apiVersion) === group);
  return {
    clusters: ofKind(clusterGroup, 'Cluster').map(
      ({ metadata }) => `${metadata.namespace ?? 'default'}/${metadata.name}`,
    ),
    extensions: ofKind(runtimeGroup, extensionConfigKind.kind).map(({ metadata }) => metadata.name),
  };
}
