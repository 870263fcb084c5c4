// One picture of the live view: trees, the last errors of functions, and a line that sums up. Pure.
import type { Unstructured } from '../../../shared/api/object.ts';
import { toExtensionTree, viewExtension } from './extensions.ts';
import type { ClusterSnapshot } from './snapshot.ts';
import { toPlainText, toText, truncate } from './text.ts';
import { type TreeRow, toLines, toRootRow, toTree } from './tree.ts';
import { viewCluster } from './waiting.ts';

export interface FrameContent {
  readonly snapshots: readonly ClusterSnapshot[];
  /** ExtensionConfigs. */
  readonly extensions: readonly Unstructured[];
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

/** When there is not enough room, what is settled takes one line each, and those that wait come first. */
export function toFrame(content: FrameContent, layout: FrameLayout): readonly string[] {
  const { errors } = content;
  const shownErrors = errors.map(error =>
    toText(truncate([{ text: `! ${toPlainText(error)}`, style: 'red' }], layout.width), layout.color),
  );
  const room = Math.max(1, layout.height - ownLines - shownErrors.length);
  const rows = toRowsWithin(content, room);
  const shown = rows.length > room ? rows.slice(0, room - 1) : rows;
  const left = rows.length - shown.length;
  const frame = [
    ...toLines(shown, layout),
    ...(left > 0 ? [toSmallPrint(`${left} more lines`, layout)] : []),
    ...shownErrors,
    toSmallPrint(toSummary(content), layout),
  ];
  return frame.slice(-Math.max(1, layout.height));
}

function toRowsWithin({ snapshots, extensions }: FrameContent, room: number): readonly TreeRow[] {
  const trees = extensions.map(toExtensionTree);
  const rows = [...trees.flat(), ...snapshots.flatMap(toTree)];
  if (rows.length <= room) {
    return rows;
  }
  const roots = trees.flatMap(tree => tree.slice(0, 1));
  const [waiting = [], settled = []] = [false, true].map(wanted =>
    snapshots.filter(snapshot => isSettled(snapshot) === wanted),
  );
  return [...roots, ...waiting.flatMap(toTree), ...settled.map(toRootRow)];
}

function isSettled({ cluster }: ClusterSnapshot): boolean {
  const { provisioned, waitingFor } = viewCluster(cluster);
  return provisioned && waitingFor === '';
}

function toSummary({ snapshots, extensions }: FrameContent): string {
  const provisioned = snapshots.filter(({ cluster }) => viewCluster(cluster).provisioned).length;
  const discovered = extensions.filter(extension => viewExtension(extension).discovered).length;
  const parts = [
    `${toCount(snapshots.length, 'Cluster')}, ${provisioned} Provisioned`,
    ...(extensions.length === 0 ? [] : [`${toCount(extensions.length, 'ExtensionConfig')}, ${discovered} Discovered`]),
    'Ctrl-C stops',
  ];
  return parts.join('; ');
}

function toCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function toSmallPrint(text: string, { width, color }: FrameLayout): string {
  return toText(truncate([{ text, style: 'dim' }], width), color);
}
