// `capi-serverless check-contract`: checks a provider's kinds and objects against the provider contract.
import { defineCommand } from '../command.ts';
import { checkContractOnce } from './check-contract-once.ts';
import { contractHelp, contractOptions, parseContractOptions } from './options.ts';

export const checkContractCommand = defineCommand({
  options: contractOptions,
  operands: 'file',
  help: () => contractHelp,
  parse: parseContractOptions,
  execute: checkContractOnce,
});
