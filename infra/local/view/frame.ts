// One picture of the live view: trees, the last errors of functions, and a line that sums up. Pure.
import type { ClusterSnapshot } from './snapshot.ts';
import { toPlainText, toText, truncate } from './text.ts';
import { type TreeRow, toLines, toRootRow, toTree } from './tree.ts';
import { viewCluster } from './waiting.ts';

export interface FrameContent {
  readonly snapshots: readonly ClusterSnapshot[];
  /** The oldest first. */
  readonly errors: readonly string[];
}

export interface FrameLayout {
  readonly width: number;
  /** Lines at most. */
  readonly height: number;
  readonly color: boolean;
}

const ownLines = 1;

/** When there is not enough room, settled Clusters take one line each, and those that wait come first. */
export function toFrame({ snapshots, errors }: FrameContent, layout: FrameLayout): readonly string[] {
  const shownErrors = errors.map(error =>
    toText(truncate([{ text: `! ${toPlainText(error)}`, style: 'red' }], layout.width), layout.color),
  );
  const room = Math.max(1, layout.height - ownLines - shownErrors.length);
  const rows = toRowsWithin(snapshots, room);
  const shown = rows.length > room ? rows.slice(0, room - 1) : rows;
  const left = rows.length - shown.length;
  const frame = [
    ...toLines(shown, layout),
    ...(left > 0 ? [toSmallPrint(`${left} more lines`, layout)] : []),
    ...shownErrors,
    toSmallPrint(toSummary(snapshots), layout),
  ];
  return frame.slice(-Math.max(1, layout.height));
}

function toRowsWithin(snapshots: readonly ClusterSnapshot[], room: number): readonly TreeRow[] {
  const rows = snapshots.flatMap(toTree);
  if (rows.length <= room) {
    return rows;
  }
  const [waiting = [], settled = []] = [false, true].map(wanted =>
    snapshots.filter(snapshot => isSettled(snapshot) === wanted),
  );
  return [...waiting.flatMap(toTree), ...settled.map(toRootRow)];
}

function isSettled({ cluster }: ClusterSnapshot): boolean {
  const { provisioned, waitingFor } = viewCluster(cluster);
  return provisioned && waitingFor === '';
}

function toSummary(snapshots: readonly ClusterSnapshot[]): string {
  const provisioned = snapshots.filter(({ cluster }) => viewCluster(cluster).provisioned).length;
  const noun = snapshots.length === 1 ? 'Cluster' : 'Clusters';
  return `${snapshots.length} ${noun}, ${provisioned} Provisioned; Ctrl-C stops`;
}

function toSmallPrint(text: string, { width, color }: FrameLayout): string {
  return toText(truncate([{ text, style: 'dim' }], width), color);
}
