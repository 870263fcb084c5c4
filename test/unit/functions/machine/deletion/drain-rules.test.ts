import { describe, expect, it } from 'vitest';
import {
  appliesToPod,
  needsNamespaces,
  rulesOfMachine,
} from '../../../../../functions/machine/phases/deletion/drain-rules.ts';
import { aRule, labelled } from './drained-pods.ts';

const drain = { behavior: 'Drain' };
const machine = { machineLabels: { role: 'db' }, clusterLabels: { stage: 'production' } };
const selectorOf = (operator: string, ...values: readonly string[]) => ({
  matchExpressions: [{ key: 'stage', operator, values }],
});

describe('the rules for a Machine', () => {
  it.each([
    { reason: 'without machines, all Machines', machines: undefined, applies: true },
    { reason: 'an empty list is all Machines', machines: [], applies: true },
    { reason: 'an empty element is all Machines', machines: [{}], applies: true },
    { reason: 'its labels', machines: [{ selector: { matchLabels: { role: 'db' } } }], applies: true },
    { reason: 'other labels', machines: [{ selector: { matchLabels: { role: 'web' } } }], applies: false },
    {
      reason: 'the labels of its Cluster',
      machines: [{ clusterSelector: selectorOf('In', 'production') }],
      applies: true,
    },
    {
      reason: 'a label that the Cluster has',
      machines: [{ clusterSelector: selectorOf('NotIn', 'production') }],
      applies: false,
    },
    {
      reason: 'both selectors of one element',
      machines: [{ selector: { matchLabels: { role: 'db' } }, clusterSelector: selectorOf('DoesNotExist') }],
      applies: false,
    },
    {
      reason: 'one of two elements',
      machines: [{ selector: { matchLabels: { role: 'web' } } }, { clusterSelector: selectorOf('Exists') }],
      applies: true,
    },
  ])('are chosen by $reason', ({ machines, applies }) => {
    const rule = aRule('a', { drain, machines });
    expect(rulesOfMachine([rule], machine)).toEqual({ ok: true, value: applies ? [rule] : [] });
  });

  it('are sorted by name', () => {
    const rules = ['b', 'B', 'a'].map(name => aRule(name, { drain }));
    const chosen = rulesOfMachine(rules, machine);
    expect(chosen.ok && chosen.value.map(({ metadata }) => metadata.name)).toEqual(['B', 'a', 'b']);
  });

  const bad = selectorOf('Foo');

  it.each([
    { path: 'spec.machines[1].selector', spec: { machines: [{}, { selector: bad }] } },
    { path: 'spec.machines[0].clusterSelector', spec: { machines: [{ clusterSelector: bad }] } },
    { path: 'spec.pods[0].selector', spec: { pods: [{ selector: bad }] } },
    { path: 'spec.pods[1].namespaceSelector', spec: { pods: [labelled('x'), { namespaceSelector: bad }] } },
  ])('are refused if $path of any rule is not valid', ({ path, spec }) => {
    const others = { machines: [{ selector: { matchLabels: { role: 'web' } } }] };
    const chosen = rulesOfMachine([aRule('good', { drain }), aRule('bad', { drain, ...others, ...spec })], machine);
    expect(chosen).toEqual({
      ok: false,
      error: expect.stringMatching(
        new RegExp(
          `^invalid selectors in MachineDrainRule bad: ${path.replaceAll(/[[\].]/g, String.raw`\$&`)}: Invalid value: .*: "Foo" is not a valid label selector operator$`,
        ),
      ),
    });
  });
});

describe('the error of rules that are not valid', () => {
  const bad = (name: string) => aRule(name, { drain, pods: [{ selector: selectorOf('Foo') }] });
  const problem =
    'Invalid value: {"matchExpressions":[{"key":"stage","operator":"Foo"}]}: "Foo" is not a valid label selector operator';

  it('contains each selector of each rule, as the API prints them', () => {
    const two = aRule('b', {
      drain,
      machines: [{ clusterSelector: selectorOf('Foo') }],
      pods: [{ selector: selectorOf('In') }],
    });
    const empty =
      'Invalid value: {"matchExpressions":[{"key":"stage","operator":"In"}]}: ' +
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty";
    expect(rulesOfMachine([two, bad('a')], machine)).toEqual({
      ok: false,
      error:
        `[invalid selectors in MachineDrainRule a: spec.pods[0].selector: ${problem}, ` +
        `invalid selectors in MachineDrainRule b: [spec.machines[0].clusterSelector: ${problem}, spec.pods[0].selector: ${empty}]]`,
    });
  });

  it.each([
    { count: 10, shown: 10, more: undefined },
    { count: 12, shown: 10, more: 'invalid selectors in 2 more' },
  ])('names at most ten of $count rules', ({ count, shown, more }) => {
    const rules = Array.from({ length: count }, (_, index) => bad(`r${index}`));
    const chosen = rulesOfMachine(rules, machine);
    const error = chosen.ok ? '' : chosen.error;
    expect(error.split('MachineDrainRule')).toHaveLength(shown + 1);
    expect(error.includes('more')).toBe(more !== undefined);
    expect(error).toContain(more ?? 'r9');
  });
});

describe('a rule for Pods', () => {
  const labels = { podLabels: { app: 'x' }, namespaceLabels: { stage: 'test' } };

  it.each([
    { reason: 'without pods, all Pods', pods: undefined, applies: true },
    { reason: 'the labels of the Pod', pods: [labelled('x')], applies: true },
    { reason: 'other labels', pods: [labelled('y')], applies: false },
    { reason: 'the labels of the Namespace', pods: [{ namespaceSelector: selectorOf('In', 'test') }], applies: true },
    {
      reason: 'both selectors',
      pods: [{ ...labelled('x'), namespaceSelector: selectorOf('DoesNotExist') }],
      applies: false,
    },
    { reason: 'one of two elements', pods: [labelled('y'), labelled('x')], applies: true },
  ])('is chosen by $reason', ({ pods, applies }) => {
    expect(appliesToPod(aRule('a', { drain, pods }), labels)).toBe(applies);
  });

  it.each([
    { pods: undefined, needs: false },
    { pods: [labelled('x')], needs: false },
    { pods: [{ namespaceSelector: {} }], needs: false },
    { pods: [labelled('x'), { namespaceSelector: selectorOf('Exists') }], needs: true },
  ])('needs the labels of Namespaces: $needs', ({ pods, needs }) => {
    expect(needsNamespaces([aRule('a', { drain }), aRule('b', { drain, pods })])).toBe(needs);
  });
});
