// Draws the rows of a tree. Pure.
import type { Mark } from '../../shared/explain/object-view.ts';
import type { TreeRow } from '../../shared/explain/tree.ts';
import { type Span, type Style, toPlainText, toText, truncate, widthOf } from './text.ts';

interface TreeLayout {
  /** The width in columns. Longer lines end with an ellipsis. */
  readonly width: number;
  readonly color: boolean;
}

const marks: Readonly<Record<Mark, { readonly sign: string; readonly style: Style }>> = {
  ready: { sign: '✓', style: 'green' },
  waiting: { sign: '…', style: 'yellow' },
  failing: { sign: '✗', style: 'red' },
  paused: { sign: '‖', style: 'cyan' },
  deleting: { sign: '−', style: 'yellow' },
  missing: { sign: '?', style: 'red' },
  unknown: { sign: '·', style: 'dim' },
};

/** Returns rows as lines. The names of one list are aligned. */
export function toLines(rows: readonly TreeRow[], { width, color }: TreeLayout): readonly string[] {
  const named = rows.map(row => ({ ...row, name: toPlainText(row.name) }));
  const column = Math.max(0, ...named.map(({ branch, name }) => widthOf(branch) + widthOf(name)));
  return named.map(row => {
    const { sign, style } = marks[row.mark];
    const padding = ' '.repeat(column - widthOf(row.branch) - widthOf(row.name));
    const spans: readonly Span[] = [
      { text: row.branch, style: 'dim' },
      { text: sign, style },
      { text: ` ${row.name}${padding}  `, style: row.branch === '' ? 'bold' : 'plain' },
      { text: toPlainText(row.detail), style: row.mark === 'failing' ? style : 'plain' },
    ];
    return toText(truncate(spans, width), color);
  });
}
