// The table of checks against the rules of Cluster API's webhooks, with the rule engine of the embedded API server.
import { describe, expect, it } from 'vitest';
import { policyChecks } from '../../../../../infra/kubernetes/admission-policies/checks.ts';
import type { PolicyCheck } from '../../../../../infra/kubernetes/admission-policies/policy-check.ts';
import {
  aClaim,
  checksOf,
  errorsOfRules,
  isDefaulted,
  isTextOf,
  type PolicySetting,
  policySettings,
} from '../../../../support/policies/expected-verdict.ts';
import { mixedWrites, type PolicyWrite, singleWrites, writtenKinds } from '../../../../support/policies/written-objects.ts';
import { createRandom } from '../../../../simulation/engine/random.ts';
import { compileCheck, type EvaluatedCheck } from './evaluated-check.ts';

const compiled = new Map<PolicyCheck, EvaluatedCheck>(policyChecks.map(check => [check, compileCheck(check)]));

function refusals(write: PolicyWrite, setting: PolicySetting): readonly (readonly [PolicyCheck, string])[] {
  return checksOf(write, setting).flatMap(check => {
    const message = compiled.get(check)?.refusal({ ...write, claim: aClaim });
    return message === undefined ? [] : [[check, message] as const];
  });
}

/** The ways in which policies and rules disagree without a named difference. */
function disagreements(write: PolicyWrite, setting: PolicySetting): readonly string[] {
  const errors = errorsOfRules(write, setting);
  const found = refusals(write, setting);
  const at = `${setting.name}: ${JSON.stringify(write.object)}`;
  const allowedByRules = errors.length === 0;
  const unnamed = found.filter(
    ([check, message]) => check.verdictDiffers === undefined && !isTextOf(message, errors, withoutFormats(check)),
  );
  return [
    ...(allowedByRules || found.length > 0 ? [] : [`only the rules refuse (${errors.join('; ')}): ${at}`]),
    ...unnamed.map(([, message]) => `no error of the rules (${errors.join('; ')}) is ${message}: ${at}`),
  ];
}

describe('each expression', () => {
  it('has a boolean value, and each message is a text', () => {
    expect(new Set([...compiled.values()].map(({ types }) => types.join()))).toEqual(new Set(['bool,string']));
  });
});

describe.each(writtenKinds)('policies and rules of a %s agree', kind => {
  it.each(policySettings)('on each value of a field ($name)', setting => {
    expect(singleWrites(kind).flatMap(write => disagreements(write, setting))).toEqual([]);
  });

  it.each(policySettings)('on mixed values ($name)', setting => {
    expect(mixedWrites(kind, 60, createRandom(kind).next).flatMap(write => disagreements(write, setting))).toEqual([]);
  });
});

/** The texts of named formats are shorter in this engine than on API servers. */
function withoutFormats(check: PolicyCheck): PolicyCheck {
  return check.messageExpression?.includes('format.') === true ? { ...check, messageDiffers: 'shortened' } : check;
}

const named = (check: PolicyCheck) => `${check.kind}: ${check.rule}, ${check.message}`;

describe('each check', () => {
  const { undefaulted = [], others = [] } = Object.groupBy(policyChecks, ({ state }) =>
    state === 'undefaulted' ? 'undefaulted' : 'others',
  );
  const isRefused = (check: PolicyCheck, write: PolicyWrite) =>
    compiled.get(check)?.refusal({ ...write, claim: aClaim }) !== undefined;

  it.each(others.map(check => [named(check), check] as const))('refuses and accepts writes: %s', (_, check) => {
    const verdicts = new Set(singleWrites(check.kind).map(write => isRefused(check, write)));
    expect(verdicts).toEqual(check.expression === 'false' ? new Set([true]) : new Set([true, false]));
  });

  it.each(undefaulted.map(check => [named(check), check] as const))('refuses what has no defaults: %s', (_, check) => {
    const [setting] = policySettings;
    const different = singleWrites(check.kind).filter(
      write => setting !== undefined && isDefaulted(write, check, setting) === isRefused(check, write),
    );
    expect(different).toEqual([]);
  });
});
