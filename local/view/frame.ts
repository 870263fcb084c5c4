// One frame of the live view: trees, the last errors of functions, and a summary line. Pure.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { viewCluster } from '../../functions/cluster/why/cluster-view.ts';
import type { ClusterSnapshot } from '../../functions/cluster/why/snapshot.ts';
import { toRootRow, toTree } from '../../functions/cluster/why/tree.ts';
import { toExtensionTree, viewExtension } from '../../functions/extensionconfig/explain.ts';
import type { TreeRow } from '../../shared/explain/tree.ts';
import { toPlainText, toText, truncate } from './text.ts';
import { toLines } from './tree-lines.ts';

interface FrameContent {
  readonly snapshots: readonly ClusterSnapshot[];
  /** The rows of ExtensionConfigs. */
  readonly extensions: readonly Unstructured[];
  /** The errors, oldest first. */
  readonly errors: readonly string[];
}

interface FrameLayout {
  readonly width: number;
  /** The maximum number of lines. */
  readonly height: number;
  readonly color: boolean;
}

const ownLines = 1;

/** If the height is too small, each ready Cluster has one line, and waiting Clusters are first. */
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
