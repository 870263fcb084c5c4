import { describe, expect, it } from 'vitest';
import { missedChoices } from '../../../../shared/variables/choices.ts';
import { allowWork, TooMuchWorkError } from '../../../../shared/variables/work.ts';

const missed = (value: unknown, choices: readonly unknown[] | undefined) => missedChoices(value, choices, allowWork());

describe('a value is one of the choices', () => {
  it.each([
    { value: 'a', choices: undefined, reason: 'there are no choices' },
    { value: 'a', choices: [], reason: 'the list is empty' },
    { value: 'a', choices: [null], reason: 'null is no choice' },
    { value: 'a', choices: ['b', 'a'], reason: 'a text' },
    { value: { a: 1, b: [2] }, choices: [{ b: [2], a: 1 }], reason: 'the order of members has no meaning' },
    { value: 1.5, choices: [1.5], reason: 'a number with a fraction' },
    { value: 1.5, choices: [1], reason: 'a number is truncated for an integer' },
    { value: -0.5, choices: [0], reason: 'also to zero' },
    { value: 2 ** 63, choices: [2 ** 63], reason: 'a number above 64 bits' },
    { value: 97, choices: ['a'], reason: 'an integer is the code of a character' },
    { value: -1, choices: ['\ufffd'], reason: 'no character has this code' },
    { value: 0xd800, choices: ['\ufffd'], reason: 'half of a character' },
    { value: 0x110000, choices: ['\ufffd'], reason: 'a code above the last one' },
    { value: true, choices: [true], reason: 'a boolean' },
  ])('$value of $choices: $reason', ({ value, choices }) => {
    expect(missed(value, choices)).toBeUndefined();
  });

  it.each([
    { value: 'a', choices: ['b', null], shown: ['"b"'], reason: 'another text' },
    { value: null, choices: ['b', null], shown: ['"b"'], reason: 'null is no choice' },
    { value: undefined, choices: ['b'], shown: ['"b"'], reason: 'no value' },
    { value: '1', choices: [1], shown: ['"1"'], reason: 'a text is not a number' },
    { value: 2.5, choices: [1.5], shown: ['"1.5"'], reason: 'only integers truncate the value' },
    { value: 2, choices: [1, 2 ** 63], shown: ['"1"', '"9223372036854776000"'], reason: 'another number' },
    { value: 97.5, choices: ['a'], shown: ['"a"'], reason: 'only integers are codes of characters' },
    { value: 1, choices: [true], shown: ['"true"'], reason: 'a number is not a boolean' },
    { value: { a: 1 }, choices: [{ b: 2, a: 1 }], shown: ['"{\\"a\\":1,\\"b\\":2}"'], reason: 'a further member' },
  ])('or is not: $value of $choices, $reason', ({ value, choices, shown }) => {
    expect(missed(value, choices)).toEqual(shown);
  });
});

describe('the work', () => {
  /** Counts the steps of checking each value. */
  function stepsOf(values: readonly unknown[], choices: readonly unknown[]): readonly number[] {
    let steps = 0;
    const work = {
      spend: (more: number) => {
        steps += more;
      },
    };
    return values.map(value => {
      steps = 0;
      missedChoices(value, choices, work);
      return steps;
    });
  }

  it('is the characters of the choices once, and those of each value', () => {
    expect(stepsOf(['abc', 'abc'], ['abc', 'defg'])).toEqual([5 + 6 + 5, 5]);
  });

  it('is eight times the characters of a message with all choices', () => {
    expect(stepsOf(['abc', 'x'], ['abc', 'defg'])).toEqual([5 + 6 + 5, 3 + 8 * (5 + 6)]);
  });

  it('is limited, before choices of one check are used in another', () => {
    const choices = ['a'.repeat(100)];
    expect(() => missedChoices('a', choices, allowWork(100))).toThrow(TooMuchWorkError);
    expect(() => missedChoices('a', choices, allowWork(100))).toThrow(TooMuchWorkError);
  });
});
