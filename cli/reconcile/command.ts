// `capi-serverless reconcile`: reconciles one object now and prints the effects of that invocation.
import { existsSync } from 'node:fs';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { defineCommand } from '../command.ts';
import { parseReconcileOptions, reconcileOptions, toReconcileHelp } from './options.ts';
import { knownDeclarations, reconcileOnce } from './reconcile-once.ts';

const reconcilers = knownDeclarations.map(({ name }) => name);

export const reconcileCommand = defineCommand({
  options: reconcileOptions,
  operands: reconcilers,
  help: () => toReconcileHelp(reconcilers),
  parse: args => parseReconcileOptions(args, { embeddedKubeconfig: embeddedKubeconfigPath, exists: existsSync }),
  execute: reconcileOnce,
});
