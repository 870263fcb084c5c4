// Functions whose result differs each time: a reconcile that runs twice would write twice. They are known, and refuse to run.
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
