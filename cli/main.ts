// `capi-serverless COMMAND`. It needs a Node version that runs TypeScript. bin.js starts it.
import { runCommand } from '../local/run-command.ts';
import { runCommandLine } from './run-command-line.ts';

await runCommand(() => runCommandLine(process.argv.slice(2), text => void process.stdout.write(text)));
