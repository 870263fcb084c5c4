// The table of work: every operation of JSON patches.
import { WorkLimitError } from '@capi-serverless/apimachinery';
import { type Operation, PatchError, perform, toPointer } from '@capi-serverless/apimachinery/json-patch';
import { PatchDraft } from '../../../functions/topology/plan/patches/draft.ts';
import { defaultPatchLimits, PatchBudget } from '../../../functions/topology/plan/patches/patch-limits.ts';
import { type InputClass, isText, textClasses, textOf, type UnitCase } from './unit-case.ts';

/** The levels of a template are limited. */
const mostLevels = 90;

interface Place {
  readonly root: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly value: unknown;
}

function placeOf(input: InputClass, size: number): Place {
  if (input === 'deep') {
    const levels = Math.min(mostLevels, size);
    let root: Readonly<Record<string, unknown>> = { k: 'x' };
    for (let level = 1; level < levels; level += 1) {
      root = { k: root };
    }
    return { root, path: '/k'.repeat(levels), value: 'x' };
  }
  if (input === 'wide') {
    const list = Array<number>(size).fill(1);
    return { root: { l: list, v: list }, path: '/l/0', value: [...list] };
  }
  const text = isText(input) ? textOf(input, size) : 'x';
  return { root: { t: text, v: text }, path: '/t', value: `${text} `.slice(0, -1) };
}

const rows: Readonly<Record<Operation['op'], (place: Place) => Operation>> = {
  add: ({ path, value }) => ({ op: 'add', path: toPointer(path), value }),
  replace: ({ path, value }) => ({ op: 'replace', path: toPointer(path), value }),
  remove: ({ path }) => ({ op: 'remove', path: toPointer(path) }),
  test: ({ root, path, value }) => ({ op: 'test', path: toPointer('v' in root ? '/v' : path), value }),
  copy: ({ root, path }) => ({ op: 'copy', from: toPointer('v' in root ? '/v' : path), path: toPointer('/c') }),
  move: ({ path }) => ({ op: 'move', from: toPointer(path), path: toPointer('/c') }),
};

const inputs: readonly InputClass[] = [...textClasses, 'deep', 'wide'];

/** The number of operations in one run, so that they outweigh the start of the patch. */
const operationsPerRun = 8;

function toCase(of: string, input: InputClass, make: (place: Place) => Operation): UnitCase {
  return {
    of,
    shown: of,
    input,
    prepare(size) {
      const place = placeOf(input, size);
      const operation = make(place);
      return meter => {
        const budget = new PatchBudget({ ...defaultPatchLimits, work: 1e12, made: 1e12 }, meter);
        try {
          for (let times = 0; times < operationsPerRun; times += 1) {
            budget.countOperations(1);
            perform(new PatchDraft(place.root, budget), operation);
          }
          return undefined;
        } catch (error) {
          if (error instanceof PatchError || error instanceof WorkLimitError) {
            return error.message;
          }
          throw error;
        }
      };
    },
  };
}

export const patchCases: readonly UnitCase[] = Object.entries(rows).flatMap(([of, make]) =>
  inputs.map(input => toCase(of, input, make)),
);
