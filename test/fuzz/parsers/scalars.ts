// Short texts with a syntax: quantities, versions, addresses, URLs, times and durations, and the formats of schemas.
import { WorkMeter } from '@capi-serverless/apimachinery';
import { parseDuration } from '@capi-serverless/apimachinery/duration';
import { parseSemver } from '@capi-serverless/apimachinery/semver';
import { textFormat } from '@capi-serverless/apimachinery/text-formats';
import { parseNanoseconds } from '@capi-serverless/apimachinery/timestamp';
import { compileRules, createBudget, evaluateRules } from '@capi-serverless/cel';
import { parseVersion } from '@capi-serverless/cluster-api/contract';
import { countWork } from '../../support/counted-work.ts';
import { fc } from '../../support/property.ts';
import { formatNames } from '../../support/work-units/schema-cases.ts';
import type { FuzzedParser } from '../parser.ts';

const part = fc.constantFrom(
  '0',
  '1',
  '9.9',
  '.',
  ':',
  '::',
  '/',
  '-',
  '+',
  'e3',
  'Ki',
  'm',
  'h',
  's',
  'v1',
  'a',
  'é',
  '😀',
  '%41',
  '%',
  '@',
  '?a=b&',
  'T',
  'Z',
  '2024-01-01',
  '255.',
  '[',
  ']',
  ' ',
  'rgb(',
  '//',
);
const text = fc
  .tuple(
    fc.array(part, { maxLength: 8 }),
    fc.array(part, { maxLength: 3 }),
    fc.nat({ max: 1500 }),
    fc.array(part, { maxLength: 4 }),
  )
  .map(([start, repeated, times, end]) => [...start, repeated.join('').repeat(times), ...end].join(''));

const functions =
  'isQuantity quantity isSemver semver isURL url isIP ip isCIDR cidr duration timestamp int double'.split(' ');
const rules = functions.map(name => ({ rule: `dyn(${name}(self)) != dyn(null) || true` }));
const compiled = compileRules({ type: 'string', maxLength: 10_000, 'x-kubernetes-validations': rules }, { path: 's' });

const scannedPerCharacter = 400;

function check(given: string): void {
  const meter = new WorkMeter({ units: 1e12, what: 'scalars', remedy: 'none' });
  const { scanned } = countWork(() => {
    parseDuration(given);
    parseNanoseconds(given);
    parseSemver(given);
    parseSemver(given, 'normalized');
    parseVersion(given);
    for (const name of formatNames) {
      textFormat(name)?.(given);
    }
    evaluateRules(compiled.rules, { value: given, path: 'value', budget: createBudget(1e9, meter) });
  });
  if (scanned > scannedPerCharacter * given.length + 20_000) {
    throw new Error(`${given.length} characters are scanned as ${scanned}`);
  }
  if (meter.spent < given.length) {
    throw new Error(`${given.length} characters for ${meter.spent} units`);
  }
}

export const parser: FuzzedParser = { name: 'scalars', property: fc.property(text, check) };
