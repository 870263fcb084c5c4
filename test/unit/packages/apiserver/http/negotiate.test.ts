import { describe, expect, it } from 'vitest';
import { negotiate, wantsAggregated } from '../../../../../packages/apiserver/http/negotiate.ts';
import { refusalOf } from '../core/core-with-widgets.ts';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

describe('the Accept header', () => {
  it.each([
    [undefined, 'object', 'json', 'nothing asked for'],
    ['', 'object', 'json', 'nothing asked for'],
    ['*/*', 'object', 'json', 'anything'],
    ['application/json, */*;q=0.8', 'object', 'json', 'a quality is ignored'],
    ['Application/YAML', 'object', 'yaml', 'case does not count'],
    [`${table},application/json`, 'table', 'json', 'what kubectl get sends'],
    ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', 'object', 'json', 'an unknown version'],
    ['application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', 'metadata', 'json', 'metadata alone'],
    ['application/vnd.kubernetes.protobuf,application/json', 'object', 'json', 'protobuf is passed over'],
  ])('%s requests %s as %s: %s', (accept, form, encoding, _reason) => {
    expect(negotiate(accept)).toEqual({ form, encoding });
  });

  it.each([['text/plain'], ['application/vnd.kubernetes.protobuf'], ['application/json;as=Nothing']])(
    '%s cannot be served',
    accept => {
      expect(refusalOf(() => negotiate(accept))).toMatchObject({ code: 406, reason: 'NotAcceptable' });
    },
  );

  it.each([
    [`${aggregated},application/json`, true, 'asked for first'],
    [`application/json,${aggregated}`, false, 'asked for after the plain form'],
    [aggregated.replace('v2', 'v2beta1'), false, 'a version that is not served'],
    [undefined, false, 'nothing asked for'],
  ])('%s requests aggregated discovery: %s', (accept, wanted, _reason) => {
    expect(wantsAggregated(accept)).toBe(wanted);
  });
});
