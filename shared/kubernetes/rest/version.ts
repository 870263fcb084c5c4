// The version of the client, as in package.json. A test compares both.
export const version = '0.2.0';

export const userAgent = `capi-serverless/${version}`;

/** The field manager of every write that sets no other. */
export const defaultFieldManager = 'capi-serverless';
