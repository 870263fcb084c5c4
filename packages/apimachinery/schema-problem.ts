// Describes in one line why a value does not match its schema.
import type * as z from 'zod/mini';

/** The maximum number of problems. Further problems usually repeat the first ones. */
const mostProblems = 3;

/** The prefix of a default schema message. The rest depends on the loaded locale. */
const unspecific = 'Invalid input';

/**
 * Returns one line: the problems of a schema error with their fields, or the message of another error. Never quotes a
 * value.
 */
export function toSchemaProblem(error: unknown): string {
  if (isSchemaError(error)) {
    const shown = error.issues.slice(0, mostProblems).map(toText);
    const more = error.issues.length - shown.length;
    return [...shown, ...(more === 0 ? [] : [`${more} more`])].join('; ');
  }
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().replaceAll(/(?<!\s)\s*\n\s*/g, ' ');
}

/** The error is detected by its issues. An import of the library's class would add the library to every bundle. */
function isSchemaError(error: unknown): error is z.core.$ZodError {
  return error instanceof Error && 'issues' in error && Array.isArray(error.issues);
}

function toText(issue: z.core.$ZodIssue): string {
  const field = issue.path.map(String).join('.');
  const problem = issue.message.startsWith(unspecific) ? toExpectation(issue) : issue.message;
  return field === '' ? problem : `${field}: ${problem}`;
}

function toExpectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${issue.expected === 'record' ? 'object' : issue.expected}`;
    case 'invalid_value':
      return `expected ${issue.values.map(String).join(' or ')}`;
    case 'invalid_format':
      return `expected the format ${issue.format}`;
    case 'too_small':
      return `expected at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `expected at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'unrecognized_keys':
      return `unexpected ${issue.keys.join(', ')}`;
    default:
      return 'not valid';
  }
}

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters' : origin === 'array' || origin === 'set' ? ' items' : '';
}
