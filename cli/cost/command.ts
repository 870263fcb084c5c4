// `capi-serverless cost`: estimates the monthly cost of a deployment.
import { ofGates } from '@capi-serverless/cluster-api/feature-gates';
import { declarations } from '../../functions/declarations.ts';
import { source } from '../../infra/prices.ts';
import { exitCodes } from '../../local/exit-codes.ts';
import { defineCommand } from '../command.ts';
import { toEstimate } from './estimate.ts';
import { costHelp, costOptions, parseCostOptions } from './options.ts';
import { toText } from './print.ts';
import { toShape } from './shape.ts';

export const costCommand = defineCommand({
  options: costOptions,
  help: () => costHelp,
  parse: parseCostOptions,
  async execute(options, print) {
    if (options.deployments === undefined) {
      const estimate = toEstimate(options, toShape(ofGates(declarations, options.gates)));
      print(options.json ? toJson(estimate) : toText(estimate));
      return exitCodes.done;
    }
    const { estimateDeployments } = await import('./deployments.ts');
    const deployments = await estimateDeployments(options.deployments, options);
    print(options.json ? toJson({ deployments }) : deployments.map(toText).join('\n'));
    return exitCodes.done;
  },
});

function toJson(estimated: object): string {
  return `${JSON.stringify({ ...estimated, prices: source }, undefined, 2)}\n`;
}
