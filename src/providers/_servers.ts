/**
 * Services and servers with OpenAI's API, by the prefix of a model (`-m groq/MODEL`): base URL, and the environment variable
 * of the key (a local server needs none). APIs with a file of their own have its name as prefix.
 */
export const SERVERS: Record<string, { base: string; key: string }> = {
  openai: { base: 'https://api.openai.com/v1', key: 'OPENAI_API_KEY' },
  openrouter: { base: 'https://openrouter.ai/api/v1', key: 'OPENROUTER_API_KEY' },
  together: { base: 'https://api.together.xyz/v1', key: 'TOGETHER_API_KEY' },
  groq: { base: 'https://api.groq.com/openai/v1', key: 'GROQ_API_KEY' },
  deepseek: { base: 'https://api.deepseek.com/v1', key: 'DEEPSEEK_API_KEY' },
  litellm: { base: 'http://localhost:4000/v1', key: 'LITELLM_API_KEY' },
  vllm: { base: 'http://localhost:8000/v1', key: 'VLLM_API_KEY' },
  sglang: { base: 'http://localhost:30000/v1', key: 'SGLANG_API_KEY' },
  llamacpp: { base: 'http://localhost:8080/v1', key: 'LLAMA_API_KEY' },
  tgi: { base: 'http://localhost:3000/v1', key: 'TGI_API_KEY' },
}

/** Environment variables with another base URL. */
export const baseNamesOf = (name: string): string[] =>
  ['BASE_URL', 'API_BASE'].map((end) => `${name.toUpperCase()}_${end}`)
