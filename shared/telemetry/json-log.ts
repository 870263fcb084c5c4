// The log adapter: writes JSON lines to standard output, or to the log channel if it has subscribers.

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
    const line = { time: new Date().toISOString(), level, message, ...options.fields, ...fields };
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

function toErrorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) {
    return { error: String(error) };
  }
  const cause = error.cause instanceof Error ? { errorCause: error.cause.message } : {};
  // For an expected error, the message is sufficient. Other errors are defects, so their stack is logged.
  const isExpected = error instanceof RetryableError || error instanceof TerminalError;
  const stack = isExpected || error.stack === undefined ? {} : { errorStack: error.stack };
  return { error: error.message, errorKind: error.name, ...cause, ...stack };
}
