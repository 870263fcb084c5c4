// `npm run cost`: estimates what a deployment costs in a month.
import { declarations } from '../../functions/declarations.ts';
import { ofGates } from '../../shared/config/feature-gates.ts';
import { runCommand } from '../local/command.ts';
import { exitCodes } from '../local/drive.ts';
import { toEstimate } from './estimate.ts';
import { costHelp, parseCostOptions } from './options.ts';
import { source } from './prices.ts';
import { toText } from './print.ts';
import { toShape } from './shape.ts';

async function main(): Promise<number> {
  const options = parseCostOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(costHelp);
    return exitCodes.done;
  }
  const estimate = toEstimate(options, toShape(ofGates(declarations, options.gates)));
  const text = options.json ? `${JSON.stringify({ ...estimate, prices: source }, undefined, 2)}\n` : toText(estimate);
  process.stdout.write(text);
  return exitCodes.done;
}

await runCommand(main);
