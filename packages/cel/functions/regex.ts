// Regular expressions in functions, with the syntax and the linear time of RE2.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-regex-library

import { compilePattern, compileWork, type Pattern } from '@capi-serverless/apimachinery/pattern';
import { type RuleMeter, unitsPerStep } from '../budget.ts';
import { asInt, asText, type Costs, costOf, define, type Overload, perCharacter } from '../overload.ts';
import { type CelValue, EvaluationProblem, toList } from '../value.ts';

/** A non-literal expression is charged in every iteration. */
function patternOf(source: string, meter: RuleMeter): Pattern {
  meter.charge(Math.ceil(compileWork(source) / unitsPerStep));
  const compiled = compilePattern(source);
  if (!compiled.ok) {
    throw new EvaluationProblem(compiled.error);
  }
  return compiled.value;
}

type Use = (pattern: Pattern, args: readonly CelValue[], meter: RuleMeter) => CelValue;

/** The number of instructions on one character that cost one step. */
const perStep = 1 / (perCharacter * perCharacter);

/** Every instruction may visit every character. */
function use(pattern: Pattern, args: readonly CelValue[], { how, meter }: { how: Use; meter: RuleMeter }): CelValue {
  meter.charge(Math.ceil((pattern.instructions * (asText(args[0]).length + 1)) / perStep));
  return how(pattern, args, meter);
}

function tooMuch(): EvaluationProblem {
  return new EvaluationProblem('regular expression and text are too large');
}

const matches: Use = (pattern, [text]) => {
  const verdict = pattern.test(asText(text));
  if (verdict === 'too much work') {
    throw tooMuch();
  }
  return verdict === 'matches';
};

function found(
  pattern: Pattern,
  text: string,
  { most, meter }: { readonly most: number; readonly meter: RuleMeter },
): readonly string[] {
  const parts = pattern.find(text, most, work => meter.charge(Math.ceil(work / perStep)));
  if (parts === undefined) {
    throw tooMuch();
  }
  return parts;
}

const find: Use = (pattern, [text], meter) => found(pattern, asText(text), { most: 1, meter })[0] ?? '';

/** A negative limit means no limit. */
const findAll: Use = (pattern, [text, , limit], meter) => {
  const wanted = limit === undefined ? -1n : asInt(limit);
  const most = wanted < 0n ? Number.POSITIVE_INFINITY : Number(wanted);
  return toList(found(pattern, asText(text), { most, meter }));
};

/** Literal expressions are compiled once. Their work is charged to the compilation of the rule. */
function withPattern(signature: string, how: Use, costs: Costs): Overload {
  const what = /(?<!\w)(\w+)\(/.exec(signature)?.[1] ?? '';
  const overload = define(
    signature,
    (args, meter) => use(patternOf(asText(args[1]), meter), args, { how, meter }),
    costs,
  );
  return {
    ...overload,
    check([, source], charge) {
      if (typeof source !== 'string') {
        return undefined;
      }
      charge(compileWork(source));
      return compilePattern(source).ok ? undefined : `invalid ${what} argument`;
    },
    prepare([, source]) {
      const compiled = typeof source === 'string' ? compilePattern(source) : undefined;
      return compiled?.ok === true ? (args, meter) => use(compiled.value, args, { how, meter }) : undefined;
    },
  };
}

const atMost = (sizes: readonly { readonly max: number }[]) => ({ min: 0, max: sizes[0]?.max ?? 1 });
const finding = { cost: costOf.matching, resultSize: atMost };

export const regex: readonly Overload[] = [
  withPattern('string.matches(string): bool', matches, { cost: costOf.matching }),
  withPattern('matches(string, string): bool', matches, { cost: costOf.matching }),
  withPattern('string.find(string): string', find, finding),
  withPattern('string.findAll(string): list<string>', findAll, finding),
  withPattern('string.findAll(string, int): list<string>', findAll, finding),
];
