/** Imports a user's module. In its own file because the build turns all other imports of a bundle into require. */
export const nativeImport = (url: string): Promise<Record<string, unknown>> => import(url)
