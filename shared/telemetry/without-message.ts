// Unexpected errors in logs of functions that serve objects of users.
import { toError } from '@capi-serverless/reconciler';

/** Returns an error with the name and the frames. Messages of unexpected errors may quote the object. */
export function withoutMessage(thrown: unknown): Error {
  const { name, stack = '' } = toError(thrown);
  const frames = stack.split('\n').filter(line => /^\s+at /.test(line));
  const error = new Error(name);
  error.stack = [name, ...frames].join('\n');
  return error;
}
