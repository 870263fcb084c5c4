import { describe, expect, it } from 'vitest';
import { matchesToken } from '../../../../shared/http/match-token.ts';
import { fc } from '../../../support/property.ts';

describe('a token', () => {
  it('matches if it is one of the valid ones, character by character', () => {
    const text = fc.string({ maxLength: 3 });
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), (presented, tokens) => {
        expect(matchesToken(presented, tokens)).toBe(tokens.includes(presented));
      }),
    );
  });

  it.each(['first', 'second', 'fir', 'first-and-more', ''])('is compared with all valid ones: "%s"', presented => {
    const read: unknown[] = [];
    const tokens = new Proxy(['first', 'second'], {
      get: (target, name) => {
        read.push(name);
        return Reflect.get(target, name);
      },
    });
    matchesToken(presented, tokens);
    expect(read).toEqual(expect.arrayContaining(['0', '1']));
  });
});
