// The places where this project differs from the recordings on purpose.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import type { ParityScenario } from './corpus.ts';
import type { SnapshotDifference } from './corpus-code.ts';

const schema = z.array(
  z.object({
    /** The folder. */
    scenario: z.string(),
    /** Expressions for the paths of the differences. */
    paths: z.array(z.string()),
    reason: z.string(),
  }),
);
const exceptions = schema.parse(JSON.parse(readFileSync(path.join(import.meta.dirname, 'exceptions.json'), 'utf8')));

/**
 * Returns the differences that are not expected. An expected difference that does not occur is also returned, because
 * its exception is not needed any more.
 */
export function unexpected(
  { folder }: Pick<ParityScenario, 'folder'>,
  differences: readonly SnapshotDifference[],
): readonly SnapshotDifference[] {
  const expected = exceptions
    .filter(({ scenario }) => scenario === folder)
    .flatMap(({ paths }) => paths.map(text => new RegExp(text)));
  const unused = expected.filter(each => !differences.some(difference => each.test(difference.path)));
  return [
    ...differences.filter(difference => !expected.some(each => each.test(difference.path))),
    ...unused.map(({ source }) => ({ path: `exceptions.json: ${source}`, expected: 'a difference', actual: 'none' })),
  ];
}
