import { describe, expect, it } from 'vitest';
import { terminalOf } from '../../../../local/view/terminal.ts';

const stream = { isTTY: true, columns: 100, rows: 30, write: () => true };

describe('a terminal', () => {
  it.each<{ of: object; env: Readonly<Record<string, string>>; reason: string }>([
    { of: { isTTY: false }, env: {}, reason: 'a file or a pipe' },
    { of: {}, env: { TERM: 'dumb' }, reason: 'its cursor cannot be moved' },
  ])('is not seen in $of $env ($reason)', ({ of, env }) => {
    expect(terminalOf({ ...stream, ...of }, env)).toBeUndefined();
  });

  it('reports its current size', () => {
    const resized = { ...stream };
    const terminal = terminalOf(resized, {});
    resized.columns = 40;
    resized.rows = 0;
    expect([terminal?.columns(), terminal?.rows()]).toEqual([40, 24]);
  });

  it('writes through', () => {
    const written: string[] = [];
    terminalOf({ ...stream, write: text => written.push(text) }, {})?.write('text');
    expect(written).toEqual(['text']);
  });

  it.each([
    [{}, true],
    [{ NO_COLOR: '' }, true],
    [{ NO_COLOR: '1' }, false],
  ])('has colours with %j: %j', (env, color) => {
    expect(terminalOf(stream, env)?.color).toBe(color);
  });
});
