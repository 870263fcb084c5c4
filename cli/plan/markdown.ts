// Plans as Markdown for a comment on GitHub or GitLab. Pure.
import type { GivenChange } from './given-files.ts';
import { cut, fence, toCode, toMarkdownText } from './markdown-text.ts';
import { type ChangeWord, countWords, type ObjectOutcome, objectChanges } from './object-changes.ts';
import type { ActionLine, PlanReport } from './plan-report.ts';
import { toBodyLines, toValueText } from './report.ts';
import type { StatusDifference } from './status-diff.ts';

interface MarkdownFacts {
  readonly reconciler: string;
  /** What an apply of the files changes. Empty without an API server. */
  readonly files: readonly GivenChange[];
  /** Notes on all plans, also if there is none. */
  readonly notes: readonly string[];
}

/** GitHub accepts comments of 65,536 characters. These limits of the parts add up to less. */
const most = { list: 4000, table: 16_000, block: 8000, blocks: 32_000 } as const;

const pastWords: Readonly<Record<ChangeWord, string>> = {
  create: 'made',
  change: 'changed',
  replace: 'Machines replaced',
  delete: 'deleted',
};

/** Returns one document for all plans, shorter than the limit of GitHub, with a line break at the end. */
export function toMarkdown(reports: readonly PlanReport[], { reconciler, files, notes }: MarkdownFacts): string {
  const plans = reports.map(report => ({ report, objects: objectChanges(report) }));
  const changed = files.filter(({ outcome }) => outcome !== 'unchanged');
  const rows = plans.flatMap(({ report, objects }) =>
    objects.map(change => toRow(change, reports.length > 1 ? report.object : change.object)),
  );
  const blocks = [
    ...changed.map(({ object, changes }) => ({ title: `${object} in the files`, lines: changes.flatMap(toDiffLines) })),
    ...plans.flatMap(({ report, objects }) => [
      { title: `Steps of ${report.object}`, lines: stepsOf(report) },
      ...objects.map(({ object, actions }) => ({ title: object, lines: actions.flatMap(toActionDiff) })),
    ]),
  ];
  const sections = [
    `## Plan of reconciler ${toMarkdownText(reconciler)}`,
    toSummary(plans.flatMap(({ objects }) => objects)),
    ...toList(reports.flatMap(toFailure), ''),
    ...toList(changed.map(toFileText), 'The files change these objects:'),
    ...(rows.length === 0
      ? []
      : [['| object | change | why |', '|---|---|---|', ...limit(rows, most.table, 'objects')].join('\n')]),
    ...toBlocks(blocks),
    ...toList(notesOf(reports, notes).map(toMarkdownText), 'Notes:'),
  ];
  return `${sections.join('\n\n')}\n`;
}

function toSummary(objects: readonly ObjectOutcome[]): string {
  const { create, change, replace, delete: gone } = countWords(objects);
  return `**${create} made, ${change} changed, ${replace} replaced, ${gone} deleted** (replaced: objects whose Machines are replaced)`;
}

function toFailure({ object, error }: PlanReport): readonly string[] {
  return error === undefined ? [] : [`**The reconcile of ${toCode(object)} would fail**: ${toMarkdownText(error)}`];
}

function toFileText({ object, outcome }: GivenChange): string {
  return `${toCode(object)}: ${outcome}`;
}

/** With several plans, other objects than the planned one name it. */
function toRow({ object, words, why }: ObjectOutcome, planned: string): string {
  const owner = planned === object ? '' : ` (plan of ${toCode(planned)})`;
  const change = words.map(word => pastWords[word]).join(', ');
  return `| ${toCode(object)}${owner} | ${change} | ${toMarkdownText(why.join('; '))} |`;
}

function stepsOf({ passes, waitsFor, preview }: PlanReport): readonly string[] {
  return [
    ...passes.flatMap(({ conclusions }) => conclusions),
    ...(waitsFor === undefined ? [] : [`The object would wait for ${waitsFor}`]),
    ...(preview === undefined ? [] : [preview.title, ...preview.lines]),
  ].map(line => ` ${line}`);
}

function toActionDiff(action: ActionLine): readonly string[] {
  const { body, changes, replaces, isNew } = action;
  if (changes !== undefined) {
    const title = replaces === undefined ? [] : [` it differs from ${replaces} in`];
    return [...title, ...changes.flatMap(toDiffLines)];
  }
  const sign = isNew === true || action.do === 'create' ? '+' : ' ';
  return toBodyLines(body, '')
    .flatMap(text => text.split('\n'))
    .map(line => `${sign} ${line}`);
}

function toDiffLines({ path, before, after }: StatusDifference): readonly string[] {
  return [
    ` ${path}`,
    ...(before === undefined ? [] : [`- ${toValueText(before)}`]),
    ...(after === undefined ? [] : [`+ ${toValueText(after)}`]),
  ];
}

interface Block {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Renders only the first blocks that fit, because plans may have millions of lines. */
function toBlocks(blocks: readonly Block[]): readonly string[] {
  const filled = blocks.filter(({ lines }) => lines.length > 0);
  const rendered: string[] = [];
  let sum = 0;
  for (const block of filled) {
    const text = toBlock(block);
    sum += text.length;
    if (sum > most.blocks) {
      break;
    }
    rendered.push(text);
  }
  return [...rendered, ...leftOut(filled.length - rendered.length, 'diffs')];
}

function toBlock({ title, lines }: Block): string {
  const summary = `<details><summary>${toCode(title)}</summary>`;
  return [summary, fence(lines, 'diff', most.block), '</details>'].join('\n\n');
}

function notesOf(reports: readonly PlanReport[], notes: readonly string[]): readonly string[] {
  const own = reports.flatMap(report => [
    ...report.notes,
    ...report.wouldAsk.map(question => `Would call ${question}`),
  ]);
  return [...new Set([...notes, ...own])];
}

function toList(items: readonly string[], title: string): readonly string[] {
  const list = limit(items, most.list, 'lines').map(item => `- ${item}`);
  return list.length === 0 ? [] : [...(title === '' ? [] : [title]), list.join('\n')];
}

/** The first items that fit, and a line with the number of the others. */
function limit(items: readonly string[], characters: number, what: string): readonly string[] {
  const kept = cut(items, characters);
  return [...kept, ...leftOut(items.length - kept.length, what)];
}

function leftOut(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${count} more ${what} are left out; \`--json\` prints all.`];
}
