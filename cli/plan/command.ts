// `capi-serverless plan`: prints the writes that a reconciler would make for one object now, and makes no writes.
import { existsSync } from 'node:fs';
import { embeddedKubeconfigPath } from '../../local/embedded.ts';
import { clusterScoped } from '../arguments.ts';
import { defineCommand } from '../command.ts';
import { parsePlanOptions, planOptions, toPlanHelp } from './options.ts';
import { planOnce } from './plan-once.ts';
import { plannables } from './registry.ts';

const declarations = plannables.map(({ declaration }) => declaration);
const reconcilers = declarations.map(({ name }) => name);

export const planCommand = defineCommand({
  options: planOptions,
  operands: reconcilers,
  help: () => toPlanHelp(reconcilers),
  parse: args =>
    parsePlanOptions(args, {
      reconcilers,
      clusterScoped: clusterScoped(declarations),
      embeddedKubeconfig: embeddedKubeconfigPath,
      exists: existsSync,
    }),
  execute: planOnce,
});
