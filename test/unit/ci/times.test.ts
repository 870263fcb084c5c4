import { describe, expect, it } from 'vitest';
import { spending, spendingSync, takeSpans } from '../../support/spans.ts';
import { processorTime } from '../../times/processor.ts';
import { parseDurations, parseProcessor, toFileLine } from '../../times/record.ts';
import { join, toFileTable, toSuiteTable, withTables } from '../../times/table.ts';

const durations = { suite: 'infra', file: 'test/infra/a.test.ts', tests: 3, importing: 500, running: 2000 };
const processor = { file: 'test/infra/a.test.ts', own: 1, children: 0.5, spans: { bundling: 700 } };

describe('the times of test files', () => {
  it('are joined by file, and summed up by suite', () => {
    const other = { ...durations, file: 'test/infra/b.test.ts', tests: 2 };
    const unfinished = { ...durations, file: 'test/infra/c.test.ts' };
    const files = join([durations, other, unfinished], [processor, { ...processor, file: other.file, own: 3 }]);
    expect(toSuiteTable(files).slice(2)).toEqual(['| infra | 2 | 5 | 5.0 | 1.0 | 1.0 | 1.4 | 0.0 | 0.0 |']);
    expect(toFileTable(files).slice(2)).toEqual([
      '| `test/infra/b.test.ts` | 2 | 2.5 | 3.5 | 0.5 | 0.5 | 0.7 | 0.0 | 0.0 |',
      '| `test/infra/a.test.ts` | 3 | 2.5 | 1.5 | 0.5 | 0.5 | 0.7 | 0.0 | 0.0 |',
    ]);
  });

  it('are read as they were written', () => {
    expect(parseDurations(toFileLine(durations) + toFileLine(durations))).toEqual([durations, durations]);
    expect(parseProcessor(toFileLine(processor))).toEqual([processor]);
  });

  it('replace the text between the markers of the page', () => {
    const page = 'a\n<!-- times: written by npm run test:times -->\nold\n<!-- end of times -->\nb\n';
    expect(withTables(page, ['| new |'])).toBe(page.replace('old', '| new |'));
    expect(() => withTables('a\n', [])).toThrow('The page has no lines');
  });

  it('contain the times of support code until they are read', async () => {
    takeSpans();
    expect(await spending('servers', async () => 5)).toBe(5);
    expect(spendingSync('templates', () => 6)).toBe(6);
    await expect(spending('servers', () => Promise.reject(new Error('no port')))).rejects.toThrow('no port');
    expect(takeSpans()).toEqual({ servers: expect.any(Number), templates: expect.any(Number) });
    expect(takeSpans()).toEqual({});
  });

  it('contain processor time that never decreases', () => {
    const before = processorTime();
    const after = processorTime();
    expect(after.own).toBeGreaterThanOrEqual(before.own);
    expect(after.own).toBeGreaterThan(0);
  });
});
