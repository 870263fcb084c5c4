// The command line of `npm run check`.
import { parseArguments } from '../arguments.ts';
import { UsageError } from '../options.ts';
import { type Format, readFormat } from './report.ts';

export interface CheckOptions {
  /** At least one. */
  readonly files: readonly string[];
  readonly format: Format;
  /** Warnings fail, too. */
  readonly strict: boolean;
}

const usage = 'npm run check -- [--format FORMAT] [--strict] FILE…';

export const checkHelp = `Usage: ${usage}

Checks ClusterClasses, and what stands beside them in the files, without any API server: schemas and unknown fields, rules,
variables with their defaults and examples, patches (selectors, paths, variables, templates), references between the objects,
and Clusters by their class in the files: values of variables, versions, classes of workers, health checks, rollouts, labels.
Every finding names its place.

  FILE…            manifests in YAML or JSON; directories stand for all .yaml, .yml and .json files in them. Definitions of
                   kinds (CRDs) among them are used to check objects of these kinds
  --format FORMAT  text (default), json, or github: annotations of a pull request
  --strict         warnings count as errors
  --help           this text

Exit codes: 0 nothing to complain about, 1 findings, 2 could not check, 3 an error of this program.
`;

/** Reads the arguments after the script's name. Throws UsageError; returns 'help' when asked for it. */
export function parseCheckOptions(args: readonly string[]): CheckOptions | 'help' {
  const { values, positionals: files } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      format: { type: 'string', default: 'text' },
      strict: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    return 'help';
  }
  const format = readFormat(values.format);
  if (files.length === 0 || files.includes('')) {
    throw new UsageError(`Name the files to check: ${usage}; --help lists the options`);
  }
  return { files, format, strict: values.strict };
}
