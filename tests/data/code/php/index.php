<?php
namespace App;

use Post\Parcel as Box; // Parcel -> src/Parcel.php:4
use Other\Letter;

$box = new Box(); // Parcel -> src/Parcel.php:4
echo $box->weigh() + Box::ounces(2); // weigh -> ? // ounces -> src/Parcel.php:16 // Parcel -> src/Parcel.php:4
