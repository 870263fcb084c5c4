// Prints findings as text, as JSON, and as annotations of a pull request.
import { UsageError } from '../usage-error.ts';
import type { Finding } from './finding.ts';

export const formats = ['text', 'json', 'github'] as const;
export type Format = (typeof formats)[number];

/** Parses the values of `--format` and of `--json`, its short form. Throws UsageError. */
export function readFormat({
  format: text = 'text',
  json,
}: {
  readonly format?: string;
  readonly json: boolean;
}): Format {
  if (json && text !== 'text' && text !== 'json') {
    throw new UsageError(`--json cannot go with --format ${text}`);
  }
  if (json) {
    return 'json';
  }
  const format = formats.find(each => each === text);
  if (format === undefined) {
    throw new UsageError(`There is no format "${text}"; known are ${formats.join(', ')}`);
  }
  return format;
}

export interface CheckReport {
  /** The number of checked objects. */
  readonly objects: number;
  readonly findings: readonly Finding[];
  /** Sentences about the parts that could not be checked. */
  readonly notes: readonly string[];
}

export function printReport(report: CheckReport, format: Format): string {
  switch (format) {
    case 'text':
      return [...report.findings.map(toLine), ...report.notes.map(note => `note: ${note}`), toSummary(report), ''].join(
        '\n',
      );
    case 'json':
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case 'github':
      return [
        ...report.findings.map(toAnnotation),
        ...report.notes.map(note => `::notice::${escapeText(note)}`),
        toSummary(report),
        '',
      ].join('\n');
  }
}

/** Returns the format of compilers: `class.yaml:12:5: error: ClusterClass default/a: spec.variables[b].name: …`. */
export function toLine({ file, line, column, severity, object, field, message }: Finding): string {
  const what = [object, field, message].filter(part => part !== undefined).join(': ');
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return `${place}: ${severity}: ${what}`;
}

/** Returns a workflow command: https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function toAnnotation({ file, line, column, severity, object, field, message }: Finding): string {
  const title = [object, field].filter(part => part !== undefined).join(': ');
  const place = line === undefined ? {} : { file, line: String(line), col: String(column) };
  const properties = { ...place, ...(title === '' ? {} : { title }) };
  const printed = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(value)}`);
  return `::${severity} ${printed.join(',')}::${escapeText(message)}`;
}

function escapeText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function toSummary({ objects, findings }: CheckReport): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return `${count(objects, 'object')} checked, ${count(errors, 'error')}, ${count(findings.length - errors, 'warning')}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
