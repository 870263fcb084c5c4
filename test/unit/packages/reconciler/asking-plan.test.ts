// Plans that ask, and the driver that answers them.
import {
  type AnswersTo,
  type AskingPlan,
  answerQuestions,
  ask,
  PlanEnd,
  type Question,
  together,
} from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';

type Size = Question<'size', string, number>;
type Color = Question<'color', { readonly of: string }, 'red' | 'blue'>;

function* addSizes(...names: readonly string[]): AskingPlan<Size, number> {
  let sum = 0;
  for (const name of names) {
    sum += yield* ask<Size>('size', name);
  }
  return sum;
}

function* describeThing(name: string): AskingPlan<Size | Color, string> {
  const size = yield* addSizes(name);
  return size > 1 ? `${yield* ask<Color>('color', { of: name })} ${name}` : name;
}

/** Answers in the order in which the test releases the questions. */
function heldSizes() {
  const asked: string[] = [];
  const release = new Map<string, (size: number) => void>();
  const size = (name: string): Promise<number> => {
    asked.push(name);
    const { promise, resolve } = Promise.withResolvers<number>();
    release.set(name, resolve);
    return promise;
  };
  return { asked, size, answer: (name: string, value: number) => release.get(name)?.(value) };
}

const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

describe('a plan that asks', () => {
  it('does nothing before it is driven', () => {
    const asked: string[] = [];
    function* plan(): AskingPlan<Size, number> {
      asked.push('started');
      return yield* ask<Size>('size', 'a');
    }
    plan();
    expect(asked).toEqual([]);
  });

  it('asks its questions one after the other, and continues with their answers', async () => {
    const asked: string[] = [];
    const sum = await answerQuestions(addSizes('a', 'bb', 'ccc'), {
      size: async name => {
        asked.push(name);
        return name.length;
      },
    });
    expect(sum).toBe(6);
    expect(asked).toEqual(['a', 'bb', 'ccc']);
  });

  it('asks only what it needs', async () => {
    const colors: string[] = [];
    const answers = {
      size: async (name: string) => name.length,
      color: async ({ of }: { readonly of: string }) => {
        colors.push(of);
        return 'red' as const;
      },
    };
    expect(await answerQuestions(describeThing('a'), answers)).toBe('a');
    expect(colors).toEqual([]);
    expect(await answerQuestions(describeThing('bb'), answers)).toBe('red bb');
    expect(colors).toEqual(['bb']);
  });

  it('needs no question', async () => {
    expect(await answerQuestions(addSizes(), { size: async () => 1 })).toBe(0);
  });

  it('rejects if an answer rejects', async () => {
    const answers = { size: () => Promise.reject(new Error('no size')) };
    await expect(answerQuestions(addSizes('a'), answers)).rejects.toThrow('no size');
  });
});

describe('plans side by side', () => {
  function* both(): AskingPlan<Size, readonly number[]> {
    const [first, second] = yield* together([addSizes('a', 'b'), addSizes('c')]);
    return [first, second];
  }

  it('ask at the same time, each at its own pace, and have their results in order', async () => {
    const { asked, size, answer } = heldSizes();
    const result = answerQuestions(both(), { size });
    await settle();
    expect(asked).toEqual(['a', 'c']);
    answer('c', 7);
    answer('a', 1);
    await settle();
    expect(asked).toEqual(['a', 'c', 'b']);
    answer('b', 2);
    expect(await result).toEqual([3, 7]);
  });

  it('may be any number, also none', async () => {
    function* all(names: readonly string[]): AskingPlan<Size, readonly number[]> {
      return yield* together(names.map(name => addSizes(name)));
    }
    const answers = { size: async (name: string) => name.length };
    expect(await answerQuestions(all(['a', 'bb']), answers)).toEqual([1, 2]);
    expect(await answerQuestions(all([]), answers)).toEqual([]);
  });

  it('keep their types', () => {
    function* plan(): AskingPlan<Size | Color, void> {
      const [sum, text] = yield* together([addSizes('a'), describeThing('b')]);
      // The compiler checks both types, and that they are not wider.
      sum satisfies number;
      text satisfies string;
    }
    expect(plan().next().done).toBe(false);
  });
});

describe('an answer that ends the plan', () => {
  const noSize: AnswersTo<Size, 'no size'> = {
    size: async name => (name === 'bad' ? new PlanEnd('no size') : 1),
  };

  it('is the result', async () => {
    const asked: string[] = [];
    const recorded: typeof noSize = {
      size: name => {
        asked.push(name);
        return noSize.size(name);
      },
    };
    const result = await answerQuestions(addSizes('a', 'bad', 'c'), recorded);
    result satisfies number | 'no size';
    expect(result).toBe('no size');
    expect(asked).toEqual(['a', 'bad']);
  });

  it('ends the plans beside it, and the plan that waits for them', async () => {
    function* plan(): AskingPlan<Size, string> {
      yield* together([addSizes('a'), addSizes('bad')]);
      return 'not reached';
    }
    expect(await answerQuestions(plan(), noSize)).toBe('no size');
  });
});

describe('the types', () => {
  it('hold questions and answers together', () => {
    const answers = { size: async () => 1 };
    // @ts-expect-error the plan asks for a color too
    void (() => answerQuestions(describeThing('a'), answers));
    // @ts-expect-error a size is a number
    void (() => answerQuestions(addSizes('a'), { size: async () => 'large' }));
    // @ts-expect-error a size is asked by name
    void (() => ask<Size>('size', 1));
    function* wrong(): AskingPlan<Size, string> {
      // @ts-expect-error the plan must not ask for a color
      return yield* describeThing('a');
    }
    expect(wrong).toBeInstanceOf(Function);
  });
});
