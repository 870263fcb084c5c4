// The table of checks against the rules of Cluster API's webhooks, with the rule engine of the embedded API server.
import { describe, expect, it } from 'vitest';
import { policyChecks } from '../../../../../infra/kubernetes/admission-policies/checks.ts';
import type { PolicyCheck } from '../../../../../infra/kubernetes/admission-policies/policy-check.ts';
import { createRandom } from '../../../../simulation/engine/random.ts';
import {
  aClaim,
  checksOf,
  errorsOfRules,
  isNamedAcceptance,
  isNamedRefusal,
  isTextOf,
  type PolicySetting,
  policySettings,
  withDefaults,
} from '../../../../support/policies/expected-verdict.ts';
import {
  mixedWrites,
  type PolicyWrite,
  singleWrites,
  undefaultedWrites,
  writtenKinds,
} from '../../../../support/policies/written-objects.ts';
import { compileCheck, type EvaluatedCheck } from './evaluated-check.ts';

const compiled = new Map<PolicyCheck, EvaluatedCheck>(policyChecks.map(check => [check, compileCheck(check)]));

function refusalOf(check: PolicyCheck, write: PolicyWrite): string | undefined {
  return compiled.get(check)?.refusal({ ...write, claim: aClaim });
}

/** An API server reports the first refusal of each policy. */
function refusals(write: PolicyWrite, setting: PolicySetting): readonly (readonly [PolicyCheck, string])[] {
  const policies = Map.groupBy(checksOf(write, setting), ({ state, readsClaims }) => `${state} ${readsClaims}`);
  return [...policies.values()].flatMap(checks => {
    const found = checks.flatMap(check => {
      const message = refusalOf(check, write);
      return message === undefined ? [] : [[check, message] as const];
    });
    return found.slice(0, 1);
  });
}

/** The ways in which policies and rules disagree without a named difference. */
function disagreements(write: PolicyWrite, setting: PolicySetting): readonly string[] {
  const errors = errorsOfRules(write, setting);
  const found = refusals(write, setting);
  const at = `${setting.name}: ${JSON.stringify(write.object).slice(0, 2000)}`;
  const missed = found.length > 0 ? [] : errors.filter(error => !isNamedAcceptance(write, error));
  const unnamed = found.filter(
    ([check, message]) => !isTextOf(message, errors, withoutFormats(check)) && !isNamedRefusal(write, check, setting),
  );
  return [
    ...missed.map(error => `only the rules refuse (${error}): ${at}`),
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

  it.each(policySettings)('on objects that have just got their defaults ($name)', setting => {
    const writes = undefaultedWrites(kind).flatMap(write => {
      const object = withDefaults(write, setting);
      return object === undefined ? [] : [{ ...write, object }];
    });
    expect(writes.flatMap(write => disagreements(write, setting))).toEqual([]);
  });
});

/** The texts of named formats are shorter in this engine than on API servers. */
function withoutFormats(check: PolicyCheck): PolicyCheck {
  return check.messageExpression?.includes('format.') === true ? { ...check, hasShortText: true } : check;
}

const named = (check: PolicyCheck) => `${check.kind}: ${check.rule}, ${check.message}`;

describe('each check', () => {
  it.each(policyChecks.map(check => [named(check), check] as const))('refuses and accepts writes: %s', (_, check) => {
    const verdicts = new Set(singleWrites(check.kind).map(write => refusalOf(check, write) !== undefined));
    expect(verdicts).toEqual(check.expression === 'false' ? new Set([true]) : new Set([true, false]));
  });
});
