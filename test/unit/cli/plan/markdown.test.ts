import { describe, expect, it } from 'vitest';
import { toMarkdown } from '../../../../cli/plan/markdown.ts';
import { fence, toCode, toMarkdownText } from '../../../../cli/plan/markdown-text.ts';
import type { ActionLine, PlanReport } from '../../../../cli/plan/plan-report.ts';

const report: PlanReport = {
  reconciler: 'topology',
  object: 'Cluster ns/c1',
  source: 'f.yaml over https://127.0.0.1:6443',
  at: '2026-01-01T00:00:00Z',
  passes: [],
  replacements: [],
  writes: 0,
  result: 'done',
  next: 'with the next event or resync',
  wouldAsk: [],
  notes: [],
};
const apply: ActionLine = { id: 'apply', do: 'apply', object: 'MachineDeployment ns/md1', why: 'it differs' };

function withActions(actions: readonly ActionLine[], more: Partial<PlanReport> = {}): PlanReport {
  const pass = { pass: 1, actions, conclusions: [], status: [], events: [], result: 'done' } as const;
  return { ...report, passes: [pass], ...more };
}

function toText(reports: readonly PlanReport[], files: Parameters<typeof toMarkdown>[1]['files'] = []): string {
  return toMarkdown(reports, { reconciler: 'topology', files, notes: [] });
}

describe('a plan as Markdown', () => {
  it('has a heading, one line of counts, a table of objects, and the diffs in closed blocks', () => {
    const changes = [{ path: 'spec.template.spec.version', before: 'v1', after: 'v2' }];
    const plan = withActions(
      [
        { ...apply, changes },
        { ...apply, do: 'create', object: 'Secret ns/s1', why: 'there is none', body: { kind: 'Secret' } },
        { ...apply, do: 'delete', object: 'Foo ns/f1', why: 'another object replaces it' },
      ],
      { replacements: [{ object: 'MachineDeployment ns/md1', why: 'Version v1, v2 required' }], notes: ['a note'] },
    );
    const files = [{ object: 'Cluster ns/c1', outcome: 'changed', changes }] as const;
    expect(toText([plan], files)).toMatchInlineSnapshot(`
      "## Plan of reconciler topology

      **1 made, 1 changed, 1 replaced, 1 deleted** (replaced: objects whose Machines are replaced)

      The files change these objects:

      - <code>Cluster ns/c1</code>: changed

      | object | change | why |
      |---|---|---|
      | <code>MachineDeployment ns/md1</code> | changed, Machines replaced | it differs; Version v1, v2 required |
      | <code>Secret ns/s1</code> | made | there is none |
      | <code>Foo ns/f1</code> | deleted | another object replaces it |

      <details><summary><code>Cluster ns/c1 in the files</code></summary>

      \`\`\`diff
       spec.template.spec.version
      - "v1"
      + "v2"
      \`\`\`

      </details>

      <details><summary><code>MachineDeployment ns/md1</code></summary>

      \`\`\`diff
       spec.template.spec.version
      - "v1"
      + "v2"
      \`\`\`

      </details>

      <details><summary><code>Secret ns/s1</code></summary>

      \`\`\`diff
      + kind: Secret
      \`\`\`

      </details>

      Notes:

      - a note
      "
    `);
  });

  it('has no row for a call of a provider', () => {
    expect(toText([withActions([{ ...apply, do: 'run', object: 'a call' }])])).not.toContain('a call');
  });

  it('names the planned object in each row of several plans', () => {
    const text = toText([withActions([apply]), { ...withActions([apply]), object: 'Cluster ns/c2' }]);
    expect(text).toContain('(plan of <code>Cluster ns/c1</code>)');
    expect(text).toContain('(plan of <code>Cluster ns/c2</code>)');
  });

  it('says what would fail', () => {
    const text = toText([{ ...report, result: 'failed', error: 'no class <b>' }]);
    expect(text).toContain('- **The reconcile of <code>Cluster ns/c1</code> would fail**: no class &#60;b&#62;');
  });

  it('is shorter than the limit of GitHub, and says what is left out', () => {
    const changes = Array.from({ length: 300 }, (_, index) => ({
      path: `spec.f${index}`,
      before: 1,
      after: '`'.repeat(600),
    }));
    const actions = Array.from({ length: 1000 }, (_, index) => ({ ...apply, object: `Foo ns/f${index}`, changes }));
    const notes = Array.from({ length: 500 }, (_, index) => `note ${index}: <>`);
    const text = toText([withActions(actions, { notes })]);
    expect(text.length).toBeLessThan(65_536);
    expect(text).toMatch(/\d+ more objects are left out; `--json` prints all\./);
    expect(text).toMatch(/\d+ more diffs are left out/);
    expect(text).toMatch(/\d+ more lines are left out/);
  });
});

describe('text of objects in Markdown', () => {
  it.each([
    { reason: 'a pipe', text: 'a|b', escaped: 'a&#124;b' },
    { reason: 'backticks', text: '`a`', escaped: '&#96;a&#96;' },
    { reason: 'HTML', text: '</details><img src=x>', escaped: '&#60;/details&#62;&#60;img src=x&#62;' },
    { reason: 'an entity', text: '&lt;', escaped: '&#38;lt;' },
    { reason: 'a link', text: '[a](b)', escaped: '&#91;a&#93;(b)' },
    { reason: 'emphasis', text: '*a* __b__ ~c~', escaped: '&#42;a&#42; &#95;&#95;b&#95;&#95; &#126;c&#126;' },
    { reason: 'a backslash', text: 'a\\|b', escaped: 'a&#92;&#124;b' },
    { reason: 'a mention', text: '@all', escaped: '&#64;&#8203;all' },
    { reason: 'a reference', text: '#1 !2', escaped: '&#35;&#8203;1 &#33;2' },
    { reason: 'addresses', text: 'https://a www.b.c', escaped: 'https&#58;//a www&#46;b.c' },
    { reason: 'line breaks', text: 'a\n/close', escaped: 'a /close' },
    { reason: 'other scripts and names', text: 'Größe v1.36.0-rc', escaped: 'Größe v1.36.0-rc' },
  ])('escapes $reason', ({ text, escaped }) => {
    expect(toMarkdownText(text)).toBe(escaped);
    expect(toCode(text)).toBe(`<code>${escaped}</code>`);
  });

  it('cuts long text', () => {
    expect([...toMarkdownText('x'.repeat(1000))].length).toBeLessThan(310);
  });

  it.each(['```', '`````', '~~~\n```diff\n</details>'])('cannot end a block of code: %s', line => {
    const block = fence([line, ' a'], 'diff', 1000);
    const [, mark = ''] = /^(`+)diff\n/.exec(block) ?? [];
    expect(block.endsWith(`\n${mark}`)).toBe(true);
    expect(block.slice(mark.length, -mark.length)).not.toContain(mark);
  });
});
