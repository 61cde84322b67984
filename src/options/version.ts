/** The package's version; the build puts package.json's in its place. */
export const VERSION: string = process.env.JB_BUILD_VERSION ?? 'development'
