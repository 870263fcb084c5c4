import { expect, it } from 'vitest';
import { createAuthenticator } from '../../../../../packages/apiserver/http/authorize.ts';

const known = { name: 'known', groups: [] };
const other = { name: 'other', groups: ['guests'] };
const authenticate = createAuthenticator(new Map([['t1', known]]), token => (token === 't2' ? other : undefined));

it.each([
  { authorization: 'Bearer t1', user: known, reason: 'a token of the server' },
  { authorization: 'bearer  t1', user: known, reason: 'the scheme in lower case' },
  { authorization: 'Bearer t2', user: other, reason: 'a token that only the given function knows' },
  { authorization: 'Bearer t3', user: undefined, reason: 'an unknown token' },
  { authorization: 'Bearer ', user: undefined, reason: 'no token' },
  { authorization: 'Basic t1', user: undefined, reason: 'another scheme' },
  { authorization: undefined, user: undefined, reason: 'no header' },
])('finds the user of a request: $reason', ({ authorization, user }) => {
  expect(authenticate(authorization)).toBe(user);
});
