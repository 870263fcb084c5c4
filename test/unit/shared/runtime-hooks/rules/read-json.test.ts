import { describe, expect, it } from 'vitest';
import {
  deepestJson,
  mostJsonValues,
  problemOfTexts,
  readJson,
} from '../../../../../shared/runtime-hooks/rules/read-json.ts';
import {
  canUpdateMachineResponse,
  generatePatchesResponse,
} from '../../../../../shared/runtime-hooks/rules/response-schemas.ts';

function problemOf(text: string): string {
  const json = readJson(text);
  return json.ok ? '' : json.error;
}

describe('parsing untrusted JSON', () => {
  it.each([
    { text: '{}', value: {} },
    { text: ' [1, "a", {"b": null}] ', value: [1, 'a', { b: null }] },
    { text: '{"a":"]}[{\\"\\\\"}', value: { a: ']}[{"\\' } },
    { text: '"only text"', value: 'only text' },
    { text: '5', value: 5 },
    { text: 'null', value: null },
    { text: '{"a":1} trailing', value: { a: 1 } },
    { text: '{"a":1}{"b":2}', value: { a: 1 } },
  ])('reads $text', ({ text, value }) => {
    expect(readJson(text)).toEqual({ ok: true, value });
  });

  it.each([
    { text: '', problem: /^the body is empty$/ },
    { text: ' \t\n', problem: /^the body is empty$/ },
    { text: '}', problem: /not valid JSON/ },
    { text: '{"a":', problem: /JSON/ },
    { text: '"open', problem: /JSON/ },
    { text: '"ends with \\', problem: /JSON/ },
    { text: '{a:1}', problem: /JSON/ },
    { text: '\uFEFF{}', problem: /JSON/ },
  ])('reports the error in $text', ({ text, problem }) => {
    expect(problemOf(text)).toMatch(problem);
  });

  it('reads up to the maximum depth', () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(readJson(nested(deepestJson)).ok).toBe(true);
    expect(problemOf(nested(deepestJson + 1))).toBe('nested deeper than 200 levels');
  });

  it('reads up to the maximum number of values', () => {
    // One value for the list, and one for each comma.
    const list = (values: number): string => `[${'1,'.repeat(values - 1)}1]`;
    expect(readJson(list(mostJsonValues)).ok).toBe(true);
    expect(problemOf(list(mostJsonValues + 1))).toBe('more than 200000 values');
    expect(problemOf(`[${'[]'.repeat(mostJsonValues)}]`)).toBe('more than 200000 values');
  });

  it('counts the values of all texts inside an answer together, before they are parsed', () => {
    const half = `[${'{},'.repeat(60_000)}{}]`;
    expect(problemOfTexts([half, '', ' '])).toBeUndefined();
    expect(problemOfTexts([half, half])).toBe('more than 200000 values');
    expect(problemOfTexts(['['.repeat(deepestJson + 1)])).toBe('nested deeper than 200 levels');
  });

  it.each([
    { reason: 'one patch', patches: [`[${'{},'.repeat(5_000_000 / 25)}{}]`] },
    { reason: 'many patches', patches: Array.from({ length: 5 }, () => `[${'{},'.repeat(40_000)}{}]`) },
  ])('refuses $reason of millions of values, which is text in the answer', ({ patches }) => {
    const items = patches.map(patch => ({ uid: 'u', patchType: 'JSONPatch', patch: btoa(patch) }));
    const parsed = generatePatchesResponse.safeParse({ status: 'Success', items });
    expect(parsed.error?.issues).toMatchObject([{ path: ['items'], message: 'patches have more than 200000 values' }]);
    const single = canUpdateMachineResponse.safeParse({
      machinePatch: { patch: btoa(`[${'{},'.repeat(200_000)}{}]`) },
    });
    expect(single.success).toBe(false);
  });

  it('reads patches within the limits', () => {
    const items = [{ uid: 'u', patchType: 'JSONPatch', patch: btoa('[{"op":"remove","path":"/a"}]') }];
    expect(generatePatchesResponse.safeParse({ items }).data?.items[0]?.patch).toBe('[{"op":"remove","path":"/a"}]');
    expect(canUpdateMachineResponse.safeParse({}).success).toBe(true);
  });

  it('drops keys that would change the prototype of a copy, in any notation', () => {
    const json = readJson('{"a":[{"\\u005f_proto__":{"evil":1},"b":2}],"__proto__":{"evil":1}}');
    expect(JSON.stringify(json)).toBe('{"ok":true,"value":{"a":[{"b":2}]}}');
  });
});
