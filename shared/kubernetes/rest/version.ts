// What this client calls itself; the version of package.json (a test holds them together).
export const version = '0.1.0';

export const userAgent = `capi-serverless/${version}`;

/** Field manager of every write that names no other. */
export const defaultFieldManager = 'capi-serverless';
