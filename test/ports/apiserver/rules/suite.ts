// Validation rules. Both servers report the same errors for the same definitions, rules and values.

import type { JsonObject } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawAnswer } from '../../../support/raw-http.ts';
import { freshName } from '../../answers.ts';
import { type Api, created, ours, toObject } from '../api-case.ts';
import { group } from '../fixtures.ts';
import { type ApiServerSubject, install, prepare } from '../subject.ts';
import { definitions, ruleTable, values } from './fixtures.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const root = 'spec.validation.openAPIV3Schema';

function definition(kind: string, schema: JsonObject, version: JsonObject = {}) {
  const singular = kind.toLowerCase();
  const names = { kind, listKind: `${kind}List`, plural: `${singular}s`, singular };
  const only = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: [only] },
  };
}

const members = Object.fromEntries(values.map(({ schema }, index) => [`c${index}`, schema]));
/**
 * The numbers of items: for the longest list below the limit of estimates, and for half as many items above the limit
 * of one evaluation.
 */
const endless = {
  type: 'array',
  maxItems: 1200,
  items: { type: 'integer' },
  'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x >= y))' }, { rule: 'self.size() < 0' }],
};
const ruledCrd = definition('Ruled', {
  type: 'object',
  properties: { spec: { type: 'object', properties: { ...members, endless } } },
});

interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

function causesOf({ body }: RawAnswer): readonly Cause[] {
  expect(body).toMatchObject({ reason: 'Invalid', details: { causes: expect.any(Array) } });
  return (body as { readonly details: { readonly causes: readonly Cause[] } }).details.causes; // True: checked in the line above.
}

/** Declares the suite for one server. It opens the server once and closes it at the end. */
export function ruleConformance(name: string, open: () => Promise<ApiServerSubject>): void {
  describe(`validation rules: ${name}`, () => {
    let subject: ApiServerSubject | undefined;
    let opened: Api | undefined;

    beforeAll(async () => {
      subject = await open();
      opened = await prepare(subject);
      await install(opened, ruledCrd);
    });

    afterAll(async () => {
      await subject?.close();
    });

    const api = (): Api => {
      if (opened === undefined) {
        throw new Error('The server was not opened');
      }
      return opened;
    };

    const define = (schema: JsonObject, version?: JsonObject) =>
      api().http.post(crds, definition('Tried', schema, version), { query: { dryRun: 'All' } });

    it.each(definitions)('a definition with $reason', async ({ schema, version, refused }) => {
      const answer = await define(schema, version);
      const reported =
        answer.status === 201 ? undefined : causesOf(answer).map(({ reason, field }) => ({ reason, field }));
      expect(reported?.toSorted(byField)).toEqual(refused?.toSorted(byField));
    });

    it.each(ruleTable.cases)('the rule $rule', async ({ rule, refused }) => {
      const spec = { type: 'object', properties: ruleTable.properties, 'x-kubernetes-validations': [rule] };
      const answer = await define({ type: 'object', properties: { spec } });
      const [first] = answer.status === 201 ? [] : causesOf(answer);
      const below = `${root}.properties[spec].x-kubernetes-validations[0].`;
      const reported =
        first === undefined ? undefined : { reason: first.reason, field: first.field.replace(below, '') };
      expect(reported).toEqual(refused);
    });

    it.each(values.map((each, index) => ({ ...each, member: `c${index}` })))(
      'a value: $reason',
      async ({ member, value, before, refused }) => {
        const answer = await write(api(), member, before === undefined ? { value } : { value, before });
        const reported = answer.status < 300 ? undefined : causesOf(answer);
        const shown = reported?.map(cause => ({
          ...cause,
          field: cause.field.replace(`spec.${member}`, 'spec.value'),
        }));
        expect(shown).toEqual(refused);
      },
    );

    it('a rule that works too long on a value ends by its limit, and so do all after it', async () => {
      const [first, ...others] = causesOf(await write(api(), 'endless', { value: Array<number>(700).fill(1) }));
      expect(first).toMatchObject({ reason: 'FieldValueInvalid', field: 'spec.endless' });
      expect(first?.message).toContain('call cost exceeds limit for rule: self.all(x, self.all(y, x >= y))');
      expect(others).toEqual([]);
    });
  });
}

function byField(left: { readonly field: string }, right: { readonly field: string }): number {
  return left.field < right.field ? -1 : 1;
}

/** Creates an object with the value, or updates one from `before` to it. */
async function write(
  api: Api,
  member: string,
  { value, before }: { readonly value: unknown; readonly before?: unknown },
): Promise<RawAnswer> {
  const path = ours(api, 'ruleds');
  const body = (metadata: JsonObject, content: unknown) => ({
    apiVersion: `${group}/v1`,
    kind: 'Ruled',
    metadata,
    spec: content === null && before === null ? {} : { [member]: content },
  });
  const name = freshName('r');
  if (before === undefined) {
    return await api.http.post(path, body({ name }, value));
  }
  const { resourceVersion } = toObject(created(await api.http.post(path, body({ name }, before)))).metadata;
  return await api.http.put(`${path}/${name}`, body({ name, resourceVersion }, value));
}
