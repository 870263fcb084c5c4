// The log adapter: writes JSON lines to standard output, or to the log channel if it has subscribers.

import { toLimitedText } from '@capi-serverless/apimachinery';
import { type Log, type LogFields, RetryableError, TerminalError } from '@capi-serverless/reconciler';
import { logs } from '../diagnostics/channels.ts';

const levels = ['debug', 'info', 'error'] as const;
type LogLevel = (typeof levels)[number];

export function createJsonLog(options: { readonly level: LogLevel; readonly fields?: LogFields }): Log {
  const threshold = levels.indexOf(options.level);
  const write = (level: LogLevel, message: string, fields: LogFields): void => {
    if (levels.indexOf(level) < threshold) {
      return;
    }
    const line = toLimited({ time: new Date().toISOString(), level, message, ...options.fields, ...fields });
    if (logs.hasSubscribers) {
      logs.publish({ line });
    } else {
      process.stdout.write(`${JSON.stringify(line)}\n`);
    }
  };
  return {
    debug: (message, fields = {}) => write('debug', message, fields),
    info: (message, fields = {}) => write('info', message, fields),
    error: (message, error, fields = {}) => write('error', message, { ...toErrorFields(error), ...fields }),
    with: fields => createJsonLog({ level: options.level, fields: { ...options.fields, ...fields } }),
  };
}

/** The maximum length of a value in a line. Errors may quote texts of other servers, and of certificates. */
const longestValue = 8192;

/** A value that is too long becomes a text that says so. A field without value stays. */
function toLimited(fields: LogFields): LogFields {
  const limited = Object.entries(fields).map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return [name, text.length > longestValue ? toLimitedText(text, longestValue) : value] as const;
  });
  return Object.fromEntries(limited);
}

function toErrorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) {
    return { error: String(error) };
  }
  const cause = error.cause instanceof Error ? { errorCause: error.cause.message } : {};
  // For an expected error, the message is sufficient. Other errors are defects, so their stack is logged.
  const isExpected = error instanceof RetryableError || error instanceof TerminalError;
  // A long message would leave no space for the stack.
  const shortStack = error.stack?.replace(error.message, () => toLimitedText(error.message, longestValue / 2));
  const stack = isExpected || shortStack === undefined ? {} : { errorStack: shortStack };
  return { error: error.message, errorKind: error.name, ...cause, ...stack };
}
