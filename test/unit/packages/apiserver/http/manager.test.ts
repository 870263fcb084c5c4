import { describe, expect, it } from 'vitest';
import { toManager } from '../../../../../packages/apiserver/http/manager.ts';

describe('the manager of fields', () => {
  it.each([
    ['m1', 'client/1.2', 'm1', 'the query says it'],
    ['', 'my-client/1.2 (linux)', 'my-client', 'the program'],
    ['', 'kubectl', 'kubectl', 'a program without a version'],
    ['', '', 'unknown', 'no program is named'],
    ['', '/1.2', 'unknown', 'a version without a program'],
    ['', 'a\u0007b/1', 'ab', 'what cannot be printed is left out'],
    ['', 'x'.repeat(200), 'x'.repeat(128), 'cut to the length of a name'],
    ['', 'ä'.repeat(100), 'ä'.repeat(64), 'counted in bytes'],
  ])('%j of %j is %j: %s', (fieldManager, userAgent, manager, _reason) => {
    expect(toManager(fieldManager, userAgent)).toBe(manager);
  });
});
