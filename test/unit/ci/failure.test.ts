import { describe, expect, it } from 'vitest';
import { type TestFailure, toFailureLine } from '../../steps/failure.ts';

const failure: TestFailure = {
  project: 'unit',
  file: 'test/unit/a.test.ts',
  title: 'a group > a test',
  message: 'expected 1 to be 2',
  actual: '1',
};
const alone = "npx vitest run --project unit test/unit/a.test.ts -t '^a group > a test$'";

describe('the line of a failed test', () => {
  it('contains the location, the error, and the command that runs only this test', () => {
    expect(toFailureLine(failure)).toBe(
      `FAILED test/unit/a.test.ts › a group > a test: expected 1 to be 2; run alone: ${alone}`,
    );
  });

  it('has the first line of a long message, cut', () => {
    const line = toFailureLine({ ...failure, message: `\n  ${'x'.repeat(400)}\nmore` });
    expect(line).toBe(`FAILED test/unit/a.test.ts › a group > a test: ${'x'.repeat(300)}; run alone: ${alone}`);
  });

  it('names only the file if a hook or the file failed', () => {
    expect(toFailureLine({ ...failure, title: undefined, message: 'no server' })).toBe(
      'FAILED test/unit/a.test.ts: no server; run alone: npx vitest run --project unit test/unit/a.test.ts',
    );
  });

  it('quotes a title for the shell and as a regular expression', () => {
    const title = "costs $5 (it's) [a.b] C:\\d";
    expect(toFailureLine({ ...failure, title })).toContain(" -t '^costs \\$5 \\(it'\\''s\\) \\[a\\.b\\] C:\\\\d$'");
  });

  it('repeats a property with its seed and path, and has the counterexample', () => {
    const message =
      'Property failed after 3 tests\n{ seed: -42, path: "2:0:1", endOnFailure: true }\nCounterexample: [0,"a"]\nShrunk 2 time(s)';
    expect(toFailureLine({ ...failure, message })).toBe(
      `FAILED test/unit/a.test.ts › a group > a test: Property failed after 3 tests; Counterexample: [0,"a"]; run alone: CAPI_SEED=-42 CAPI_PATH=2:0:1 ${alone}`,
    );
  });

  it.each(['take-over', 'providers'])(
    'repeats the whole suite %s, because its tests are the steps of one story',
    project => {
      const line = toFailureLine({ ...failure, project });
      expect(line).toContain(`; run alone: npm run test:${project}`);
    },
  );

  it('repeats a run of the simulation with its own command', () => {
    const replay = 'npm run simulate -- --workload create --seed 7';
    const line = toFailureLine({
      ...failure,
      message: "expected 'npm run simu…' to be ''",
      actual: `${replay}\nA Cluster is missing`,
    });
    expect(line).toBe(`FAILED test/unit/a.test.ts › a group > a test: A Cluster is missing; run alone: ${replay}`);
  });
});
