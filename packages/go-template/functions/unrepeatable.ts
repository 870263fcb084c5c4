// Functions with nondeterministic results. With such functions, a repeated reconcile would write again. They are
// declared, but calls fail.
import { defineVariadic, FunctionError, type FunctionTable } from '../call.ts';

const names = [
  'ago',
  'bcrypt',
  'encryptAES',
  'genCA',
  'genCAWithKey',
  'genPrivateKey',
  'genSelfSignedCert',
  'genSelfSignedCertWithKey',
  'genSignedCert',
  'genSignedCertWithKey',
  'htpasswd',
  'randInt',
  'shuffle',
];

function refuse(name: string): never {
  throw new FunctionError(`${name} is not supported: its result differs each time it is called`);
}

export const unrepeatableFunctions: FunctionTable = Object.fromEntries(
  names.map(name => [name, defineVariadic([], 'any', () => refuse(name))]),
);
