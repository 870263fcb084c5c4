import { describe, expect, it } from 'vitest';
import {
  readClusterVariables,
  readStatusVariables,
  readVariableDefinitions,
} from '../../../../shared/variables/read.ts';

describe('reading', () => {
  it('drops unknown fields, nulls and empty strings, and reports unreadable values', () => {
    const raw = {
      name: 'n',
      required: null,
      schema: { openAPIV3Schema: { type: 'string', pattern: '', default: '', foo: 1, minLength: null } },
    };
    expect(readVariableDefinitions([raw])).toEqual({
      ok: true,
      value: [{ name: 'n', schema: { openAPIV3Schema: { type: 'string', default: '' } } }],
    });
    expect(readVariableDefinitions([{}])).toEqual({ ok: true, value: [{ name: '', schema: { openAPIV3Schema: {} } }] });
    expect(readVariableDefinitions([{ schema: { openAPIV3Schema: { properties: { a: 5 } } } }])).toEqual({
      ok: false,
      error: '0.schema.openAPIV3Schema.properties.a: expected object',
    });
    expect(readVariableDefinitions(['x'])).toEqual({ ok: false, error: '0: expected object' });
    expect(readVariableDefinitions([['x']])).toEqual({ ok: false, error: '0: expected object' });
    expect(readVariableDefinitions([{ schema: { openAPIV3Schema: { minLength: 1.5 } } }])).toEqual({
      ok: false,
      error: '0.schema.openAPIV3Schema.minLength: expected integer',
    });
  });

  it('completes omitted parts of a definition in a status', () => {
    const none = { from: '', required: false, schema: { openAPIV3Schema: {} } };
    expect(readStatusVariables([{}, { name: 'n', definitions: [{}, { from: 'p', schema: {} }] }])).toEqual({
      ok: true,
      value: [
        { name: '', definitionsConflict: false, definitions: [] },
        { name: 'n', definitionsConflict: false, definitions: [none, { ...none, from: 'p' }] },
      ],
    });
  });

  it('keeps the name and the value of a Cluster variable', () => {
    const raw = [{ name: 'n', value: { a: [null] }, definitionFrom: 'x' }, { value: 1 }];
    expect(readClusterVariables(raw)).toEqual({
      ok: true,
      value: [
        { name: 'n', value: { a: [null] } },
        { name: '', value: 1 },
      ],
    });
  });

  it('keeps labels, annotations and each field of a rule, of which only the rule has a default', () => {
    const metadata = { labels: { a: 'b' }, annotations: { c: 'd' } };
    const rule = { rule: 'r', message: 'm', messageExpression: 'e', reason: 'x', fieldPath: 'f' };
    const schema = { 'x-metadata': metadata, 'x-kubernetes-validations': [rule, {}] };
    expect(
      readVariableDefinitions([{ deprecatedV1Beta1Metadata: metadata, schema: { openAPIV3Schema: schema } }]),
    ).toEqual({
      ok: true,
      value: [
        {
          name: '',
          deprecatedV1Beta1Metadata: metadata,
          schema: { openAPIV3Schema: { ...schema, 'x-kubernetes-validations': [rule, { rule: '' }] } },
        },
      ],
    });
  });
});
