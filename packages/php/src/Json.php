<?php

declare(strict_types=1);

namespace Balcao;

/** Converts between JSON and PHP. Amounts are numbers in JSON and decimal text (`1500.00`) in PHP. */
final class Json {
    /** Objects of the merchant, counts and column numbers: their fields are no amounts. */
    private const OPAQUE = ['custom' => 1, 'customMetadata' => 1, 'counts' => 1, 'mapping' => 1];

    /** Writes a request's body. An amount keeps its digits, because it never becomes a float. */
    public static function encode(array $body): string {
        $mark = bin2hex(random_bytes(8));
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
        $json = json_encode($body ? self::mark($body, $mark) : new \stdClass(), $flags);
        return preg_replace("/\"$mark(-?[\\d.]+)\"/", '$1', $json);
    }

    private static function mark(array $fields, string $mark): array {
        foreach ($fields as $name => $value) {
            if (is_array($value)) {
                $fields[$name] = isset(self::OPAQUE[$name]) ? $value : self::mark($value, $mark);
            } elseif (isset(Operations::AMOUNTS[$name])) {
                $text = is_float($value) ? self::amount($value) : (string) $value;
                $fields[$name] = preg_match('/^-?\d{1,13}(\.\d{1,2})?$/D', $text) ? $mark . $text : $value;
            }
        }
        return $fields;
    }

    /** @param int|float $number */
    private static function amount($number): string {
        $text = number_format($number, 2, '.', '');
        return (float) $text === (float) $number ? $text : (string) $number;
    }

    /**
     * Reads an answer. Objects become `Result`, or `$class` at the top.
     * @return mixed
     * @throws \JsonException
     */
    public static function decode(string $text, string $class = Result::class, array $headers = []) {
        $value = json_decode($text, false, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
        return self::convert($value, $class, true, $headers);
    }

    /** @param mixed $value @return mixed */
    private static function convert($value, string $class, bool $hasAmounts, array $headers = []) {
        if (is_array($value)) {
            return array_map(fn($each) => self::convert($each, $class, $hasAmounts), $value);
        }
        if (!$value instanceof \stdClass) {
            return $value;
        }
        $fields = [];
        foreach (get_object_vars($value) as $name => $each) {
            $isAmount = $hasAmounts && isset(Operations::AMOUNTS[$name]) && (is_int($each) || is_float($each));
            $inner = $class::NESTED[$name] ?? Result::class;
            $hasInner = $hasAmounts && !isset(self::OPAQUE[$name]);
            $fields[$name] = $isAmount ? self::amount($each) : self::convert($each, $inner, $hasInner);
        }
        return new $class($fields, $headers);
    }
}
