/** Imports a user's module. A file of its own: in the bundles, every other import becomes a require. */
export const nativeImport = (url: string): Promise<Record<string, unknown>> => import(url)
