// `capi-serverless check`: prints findings in the ClusterClasses of files with their lines, for users and for pull
// requests.
import { defineCommand } from '../command.ts';
import { checkOnce } from './check-once.ts';
import { checkHelp, checkOptions, parseCheckOptions } from './options.ts';

export const checkCommand = defineCommand({
  options: checkOptions,
  operands: 'file',
  help: () => checkHelp,
  parse: parseCheckOptions,
  execute: checkOnce,
});
