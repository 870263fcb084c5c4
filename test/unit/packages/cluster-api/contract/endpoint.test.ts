import { describe, expect, test } from 'vitest';
import {
  isValidEndpoint,
  readEndpoint,
  toEndpointText,
  zeroEndpoint,
} from '../../../../../packages/cluster-api/contract/endpoint.ts';

describe('an endpoint', () => {
  test.each([
    { endpoint: { host: 'h.example', port: 6443 }, valid: true, text: 'h.example:6443' },
    { endpoint: { host: '::1', port: 6443 }, valid: true, text: '[::1]:6443' },
    { endpoint: { host: '10.0.0.1', port: 443 }, valid: true, text: '10.0.0.1:443' },
    { endpoint: { host: 'h.example', port: 0 }, valid: false, text: 'h.example:0' },
    { endpoint: { host: '', port: 6443 }, valid: false, text: ':6443' },
    { endpoint: zeroEndpoint, valid: false, text: ':0' },
  ])('$text: valid $valid', ({ endpoint, valid, text }) => {
    expect([isValidEndpoint(endpoint), toEndpointText(endpoint)]).toEqual([valid, text]);
  });
});

describe('reading an endpoint', () => {
  test.each([
    { field: { host: 'h', port: 1 }, found: { state: 'value', value: { host: 'h', port: 1 } }, reason: 'both halves' },
    { field: { host: 'h' }, found: { state: 'value', value: { host: 'h', port: 0 } }, reason: 'a missing port is 0' },
    { field: { port: 1 }, found: { state: 'value', value: { host: '', port: 1 } }, reason: 'a missing host is empty' },
    { field: {}, found: { state: 'value', value: zeroEndpoint }, reason: 'there, but empty' },
    { field: undefined, found: { state: 'absent' }, reason: 'not there' },
  ])('$reason', ({ field, found }) => {
    expect(readEndpoint({ spec: { controlPlaneEndpoint: field } })).toEqual(found);
  });

  test.each([
    { field: 'h:1', problem: '.spec.controlPlaneEndpoint is a string, expected an object' },
    { field: { host: 1 }, problem: '.spec.controlPlaneEndpoint.host is a number, expected a string' },
    { field: { port: '1' }, problem: '.spec.controlPlaneEndpoint.port is a string, expected a whole number' },
  ])('$problem', ({ field, problem }) => {
    expect(readEndpoint({ spec: { controlPlaneEndpoint: field } })).toEqual({
      state: 'wrongType',
      error: `failed to get .spec.controlPlaneEndpoint from object: ${problem}`,
    });
  });
});
